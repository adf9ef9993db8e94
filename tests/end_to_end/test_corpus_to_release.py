"""From four real corpora to a release: windows, scores of a real model, candidates, a choice in a
browser, questionnaires, and files that say where the texts come from.
"""

import csv
import re
import zipfile
from pathlib import Path

import pandas as pd
import pytest
from playwright.sync_api import expect

from preprocess.__main__ import main
from tests.end_to_end.annotators import begin as begin_answering
from tests.end_to_end.annotators import get, post, read_hidden
from tests.end_to_end.browser import DESKTOP, WatchedPage
from tests.end_to_end.site import Site, opening
from tests.end_to_end.test_contexts import SIGNED_IN, is_at, is_ready, press
from tests.fixtures.models import e5_folder, torch
from tests.machine import SHARED

pytestmark = pytest.mark.needs("contexts")

__all__ = ["e5_folder", "torch"]  # fixtures
LICENCE = "CC BY-SA 4.0"
# Treebanks and pairs that have two windows or more in their development sections.
CORPORA = {
    "en": ("UD_English-EWT", ["year time", "man woman"]),
    "fi": ("UD_Finnish-TDT", ["aika vuosi", "mies nainen"]),
    "hr": ("UD_Croatian-SET", ["godina dan", "zemlja država"]),
    "sl": ("UD_Slovenian-SSJ", ["leto dan", "čas dan"]),
}
NUMBER = 4  # candidates
FIND = "find --per-pair 8 --processes 1"
SCORE = "score --layer 7 last"


@pytest.fixture(scope="session")
def treebanks() -> Path:
    """The development sections of four treebanks, which are not part of this project."""
    folder = SHARED / "corpora"
    if not folder.is_dir():
        pytest.skip("the corpora of ../shared/corpora are not on this machine")
    return folder


def pick_candidates(language: str, corpora: Path, model: Path, folder: Path) -> Path:
    """Find, score and pick texts by the commands; return the file of candidates."""
    title, pairs = CORPORA[language]
    (corpus,) = corpora.glob(f"{language}_*.conllu")
    listed, windows, scores, candidates = (
        folder / f"{language}.{name}"
        for name in ("tsv", "windows.parquet", "scores.parquet", "candidates.parquet")
    )
    rows = ["word1\tword2", *("\t".join(pair.split()) for pair in pairs), ""]
    listed.write_text("\n".join(rows), encoding="utf-8")
    url = f"https://github.com/UniversalDependencies/{title}"
    source = ["--title", title, "--url", url, "--licence", LICENCE]
    for command in (
        [*FIND.split(), "--corpus", corpus, "--pairs", listed, "--language", language,
         "--out", windows, *source],
        [*SCORE.split(), "--windows", windows, "--model", f"e5={model}", "--out", scores],
        ["candidates", "--windows", windows, "--scores", scores, "--models", "e5@7",
         "--number", NUMBER, "--out", candidates],
    ):  # fmt: skip
        assert main([str(argument) for argument in command]) == 0
    return candidates


def test_from_four_corpora_to_a_release_with_its_sources(
    treebanks: Path, e5_folder: Path, chromium, site: Site, tmp_path: Path
):
    made = {one: pick_candidates(one, treebanks, e5_folder, tmp_path) for one in CORPORA}
    tables = {language: pd.read_parquet(path) for language, path in made.items()}
    for language, table in tables.items():
        assert table.groupby("pair").size().between(2, NUMBER).all(), language
        assert table["pair"].nunique() == 2, language
        extremes = table[table["picked"] != "random"]
        assert set(extremes["picked"]) == {"e5@7: most similar", "e5@7: least similar"}
        assert table["score_e5@7"].between(-1, 1).all()
        wide = table.pivot_table(index="pair", columns="picked", values="score_e5@7")
        assert (wide["e5@7: most similar"] > wide["e5@7: least similar"]).all()

    chosen = choose_in_a_browser(chromium, site, made["sl"])
    site.manage_all(["configure_study", "dan", "--ratings-per-context", "1"], opening("dan"))
    for link in site.invite("dan", 2):  # one for each context of the pairs
        answer_all(site, link)

    folder = tmp_path / "release"
    site.manage("release_dataset", "dan", folder, "--recipe", "raw", "--no-report")
    check_sources(folder, tables["sl"].set_index("window"), chosen)


def choose_in_a_browser(chromium, site: Site, file: Path) -> list[list[str]]:
    """Choose two texts of each pair, and make stimuli of them; return those texts."""
    session = site.manage("shell", "--no-imports", "-c", SIGNED_IN).strip()
    watched = WatchedPage(chromium, DESKTOP)
    page = watched.page
    watched.visit_signed_in(f"{site.url}/console/", session)
    page.goto(f"{site.url}/console/new/contexts/")
    page.get_by_label("Title").fill("Dan")
    page.get_by_label("Language of the texts").fill("sl")
    page.get_by_label("File with the candidates").set_input_files(file)
    watched.follow(page.get_by_role("button", name="Create study"))
    watched.follow(page.get_by_role("button", name="Start choosing"))
    chosen = []
    for pair in CORPORA["sl"][1]:
        is_ready(page, " – ".join(pair.split()))
        texts = [page.locator(f".candidate[data-key='{key}'] blockquote") for key in "12"]
        chosen.append([" ".join(text.inner_text().split()) for text in texts])
        press(page, "1", "2", "Enter")
    is_at(page, "Contexts")
    watched.follow(page.get_by_role("link", name="Use as stimuli"))
    watched.follow(page.get_by_role("button", name="Use as stimuli"))
    is_at(page, "Stimuli")
    expect(page.locator(".stimuli-rows tbody tr[id]")).to_have_count(2)
    assert watched.complaints == []
    return chosen


def answer_all(site: Site, link: str) -> None:
    """Answer a questionnaire over HTTP to its end."""
    survey = begin_answering(site, link)
    for number in (1, 2):
        words = {"inspired_word1": "luna", "inspired_word2": "zvezda"}
        post(f"{survey}{number}/words/", {**read_hidden(f"{survey}{number}/words/"), **words})
        post(f"{survey}{number}/rating/", {"rating": str(number)})
    assert get(survey).headers["location"].endswith("/thanks/")


def check_sources(folder: Path, windows: pd.DataFrame, chosen: list[list[str]]) -> None:
    """Check that a release names the window and the document of each text."""
    stimuli = (folder / "data/data_sl.tsv").read_text(encoding="utf-8")
    with (folder / "sources_sl.tsv").open(encoding="utf-8", newline="") as file:
        sources = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    texts = [text for pair in chosen for text in pair]
    assert [(one["pair"], one["context"]) for one in sources] == [
        ("1", "1"), ("1", "2"), ("2", "1"), ("2", "2")
    ]  # fmt: skip
    for source, text in zip(sources, texts, strict=True):
        assert " ".join(windows.loc[source["window"], "text"].split()) == text
        assert source["licence"] == LICENCE
        assert source["title"] == CORPORA["sl"][0]
        assert text in " ".join(re.sub(r"</?strong>", "", stimuli).split())
    attribution = (folder / "ATTRIBUTION.md").read_text(encoding="utf-8")
    assert CORPORA["sl"][0] in attribution
    assert LICENCE in attribution
    (archive,) = folder.parent.glob("*.zip")
    with zipfile.ZipFile(archive) as files:
        names = {name.rpartition("/")[2] for name in files.namelist()}
    assert {"ATTRIBUTION.md", "origin_sl.json", "sources_sl.tsv", "data_sl.tsv"} <= names
