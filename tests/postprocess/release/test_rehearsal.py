"""Releases with ratings by scripts: marked in titles and file names, and read by every command."""

import io
import json
import zipfile

import pandas as pd
import pytest
import yaml

from postprocess.__main__ import main
from postprocess.release.assembling import write_release
from postprocess.reporting.page import render_page
from postprocess.steps.rehearsal import load_scripted
from tests.postprocess.release.releases import KEY, collect, release, release_with_practice
from tests.postprocess.reporting.pages import draw_plates

STAMPED = {
    "cosimlex_sl_REHEARSAL.csv", "cosimlex_sl_REHEARSAL.parquet", "data/data_sl_REHEARSAL.tsv",
    "distributions_sl_REHEARSAL.json", "distributions_sl_REHEARSAL.parquet",
    "gold/gold_sl_REHEARSAL.tsv", "practice_kit/cosimlex_sl_REHEARSAL.csv",
    "practice_kit/cosimlex_sl_REHEARSAL.parquet", "practice_kit/data_sl_REHEARSAL.tsv",
    "practice_kit/gold_sl_REHEARSAL.tsv", "practice_kit/results_subtask1_sl_REHEARSAL.tsv",
    "practice_kit/results_subtask2_sl_REHEARSAL.tsv", "ratings_sl_REHEARSAL.parquet",
    "ratings_sl_REHEARSAL.tsv", "results/results_subtask1_sl_REHEARSAL.tsv",
    "results/results_subtask2_sl_REHEARSAL.tsv",
}  # fmt: skip
SCRIPT, WITHDRAWN = "worker-1-2", "worker-0-0"  # the first has 6 of 66 ratings, 11 annotators
WARNING = (
    "This is a rehearsal, not a dataset of human judgements: 6 of its 66 ratings, by 1 of its 11 "
    "annotators, are by scripts. Do not use, cite or publish its scores."
)


@pytest.fixture(scope="module")
def rehearsal():
    return release(collect(6, scripted={SCRIPT, WITHDRAWN}), n_practice=2)


def test_every_file_that_names_the_language_is_stamped(rehearsal):
    ordinary = release_with_practice()

    assert {name for name in rehearsal.files if "_sl" in name} == STAMPED
    assert {name.replace("_REHEARSAL", "") for name in rehearsal.files} == set(ordinary.files)
    with zipfile.ZipFile(io.BytesIO(rehearsal.archive)) as archive:
        assert {name.split("/")[0] for name in archive.namelist()} == {"cosimlex_sl_REHEARSAL"}


def test_every_title_is_stamped_and_the_cards_begin_with_a_warning(rehearsal):
    card, statement, checklist, citation, croissant = (
        rehearsal.files[name].decode()
        for name in (
            "README.md", "DATA_STATEMENT.md", "CHECKLIST.md", "CITATION.cff", "croissant.json",
        )
    )  # fmt: skip

    title = "REHEARSAL: Similarity of words in context"
    block = f"\n\n> **REHEARSAL.** {WARNING}\n\n"
    assert f"# {title}{block}" in card
    assert statement.startswith(
        f"# REHEARSAL: Data statement: Similarity of words in context{block}"
    )
    assert checklist.startswith("# REHEARSAL: Responsible NLP research checklist")
    assert block in checklist
    assert yaml.safe_load(card.split("---\n", 2)[1])["pretty_name"] == title
    assert f"Ana Novak, The Similarity Group (2026). {title}, version 1.2.0." in card
    cited = yaml.safe_load(citation)
    assert (cited["title"], cited["message"]) == (title, WARNING)
    assert cited["abstract"].startswith("REHEARSAL: ")
    metadata = json.loads(croissant)
    assert metadata["name"] == title
    assert metadata["description"].startswith("REHEARSAL: ")
    assert title in metadata["citeAs"]


def test_the_report_has_the_warning(rehearsal):
    counts = rehearsal.dataset.report["counts"]
    plates = draw_plates(rehearsal.dataset)
    page = render_page(rehearsal.dataset, plates)

    assert (counts["ratings_scripted"], counts["annotators_scripted"]) == (6, 1)
    assert "<h1>REHEARSAL: Word similarity in context (sl)" in page
    assert WARNING in page


def test_ratings_by_people_alone_are_not_stamped():
    """The ratings of the only script were withdrawn and are not published."""
    ordinary = release(collect(6, scripted={WITHDRAWN}), n_practice=2)

    assert ordinary.files == release_with_practice().files
    assert not any("REHEARSAL" in name for name in ordinary.files)
    assert not any(b"REHEARSAL" in content for content in ordinary.files.values())


def test_ratings_by_scripts_are_marked(rehearsal, tmp_path):
    for name in ("ratings_sl_REHEARSAL.tsv", "ratings_sl_REHEARSAL.parquet"):
        (tmp_path / name).write_bytes(rehearsal.files[name])
        assert len(load_scripted(tmp_path / name)) == 1

    table = pd.read_parquet(tmp_path / "ratings_sl_REHEARSAL.parquet")
    assert int(table["is_scripted"].sum()) == 6
    text = pd.read_csv(tmp_path / "ratings_sl_REHEARSAL.tsv", sep="\t", dtype=str)
    assert text["is_scripted"].tolist() == [str(x).lower() for x in table["is_scripted"]]


def test_a_rehearsal_can_be_traced_audited_and_rebuilt(tmp_path, capsys):
    out, again, built = (tmp_path / name for name in ("out", "again", "built"))
    made = release(collect(6, scripted={SCRIPT}))
    written = write_release(made, out)
    of_release = [
        "--stimuli", str(out / "data/data_sl_REHEARSAL.tsv"), "--language", "sl", "--no-report",
        "--ratings", str(out / "ratings_sl_REHEARSAL.tsv"), "--recipe", str(out / "recipe.toml"),
    ]  # fmt: skip

    assert written[-1] == tmp_path / "out_REHEARSAL.zip"
    assert main(["trace", str(out), "--pair", "2", "--context", "1"]) == 0
    assert main(["audit", str(out), "--details"]) == 0
    assert main(["build", *of_release, "--out", str(built)]) == 0
    assert "REHEARSAL. This is a rehearsal" in capsys.readouterr().out
    assert main(["release", *of_release, "--out", str(again), "--key", KEY]) == 0

    for folder in (again, built):
        for name in ("cosimlex_sl_REHEARSAL.csv", "gold/gold_sl_REHEARSAL.tsv", "scores.tsv"):
            assert (folder / name).read_bytes() == (out / name).read_bytes()
    assert "# REHEARSAL: " in (again / "README.md").read_text(encoding="utf-8")
    assert list(tmp_path.rglob("*_sl.*")) == []
    capsys.readouterr()
