"""Texts that may not be published: masked in all files, and restored from the corpus."""

import gzip
import subprocess
import sys

import pytest

from postprocess.formats.stimuli import parse_stimuli, render_stimuli
from postprocess.release.assembling import write_release
from postprocess.release.sources import ContextSource, Publishing
from postprocess.release.verification.verifying import verify_release
from postprocess.release.withholding import mask_text
from tests.factories.stimuli_rows import parse_rows
from tests.postprocess.release.releases import collect, numbered_row, rate, release
from tests.preprocess.corpus import sentence, write

CLOSED = "All rights reserved"
SECRET = "moonlight"


def story(number: int) -> list[str]:
    """Return a document of three sentences with both words of a pair."""
    return [
        sentence(f"Once in {SECRET} there was alpha{number}.", None, f"# newdoc id = d{number}"),
        sentence("In 1999 it rained, didn't it?"),
        sentence(f"Then beta{number} left the {SECRET}."),
    ]


@pytest.fixture
def corpus_of_six(tmp_path):
    folder = tmp_path / "corpus"
    folder.mkdir()
    path = write(folder / "a.conllu", [line for n in range(1, 7) for line in story(n)])
    (folder / "b.conllu.gz").write_bytes(gzip.compress(path.read_bytes()))
    return folder


def collect_stories(n_pairs: int = 4, licence: str = CLOSED):
    rows, sources = [], []
    for number in range(1, n_pairs + 1):
        text = (
            f"Once in {SECRET} there was <strong>alpha{number}</strong>. In 1999 it rained, didn't "
            f"it? Then <strong>beta{number}</strong> left the {SECRET}."
        )
        rows.append(numbered_row(number, context1=text))
        file = "b.conllu.gz" if number == 2 else "a.conllu"
        place = {"document": f"d{number}", "first_sentence": "1", "last_sentence": "3"}
        sources.append(ContextSource(number, 1, file=file, licence=licence, **place))
        sources.append(ContextSource(number, 2, title="Ours", licence="CC0"))
    return collect(rows=rows, sources=tuple(sources)), parse_rows(*rows)


def run_script(folder, corpus):
    return subprocess.run(
        [sys.executable, str(folder / "rebuild.py"), str(corpus)],
        capture_output=True, text=True, check=False,
    )  # fmt: skip


@pytest.mark.parametrize("n_practice", [0, 2])
def test_texts_that_may_not_be_published_are_in_no_file_and_can_be_restored(
    tmp_path, corpus_of_six, n_practice
):
    collected, stimuli = collect_stories(6)
    made = release(collected, n_practice=n_practice)
    write_release(made, tmp_path / "out")

    assert not [name for name, content in made.files.items() if SECRET.encode() in content]
    assert verify_release(tmp_path / "out").is_confirmed
    attribution = made.files["ATTRIBUTION.md"].decode()
    assert "## Texts that are withheld" in attribution
    assert "pair 6 (context 1). In all files their letters are" in attribution

    done = run_script(tmp_path / "out", corpus_of_six)

    assert (done.stdout, done.stderr) == ("6 of 6 texts restored, in rebuilt/\n", "")
    restored = parse_stimuli((tmp_path / "out/rebuilt/data/data_sl.tsv").read_bytes()).rows
    if n_practice:
        more = (tmp_path / "out/rebuilt/practice_kit/data_sl.tsv").read_bytes()
        restored += parse_stimuli(more).rows
    assert sorted(restored) == sorted(stimuli.rows)
    dataset = (tmp_path / "out/rebuilt").glob("*_sl.csv")
    assert all(SECRET in path.read_text(encoding="utf-8") for path in dataset)


def test_what_the_corpus_does_not_have_is_named(tmp_path, corpus_of_six):
    write_release(release(collect_stories()[0]), tmp_path / "out")
    changed = (corpus_of_six / "a.conllu").read_text(encoding="utf-8").replace("alpha3", "alpha9")
    (corpus_of_six / "a.conllu").write_text(changed, encoding="utf-8")
    (corpus_of_six / "b.conllu.gz").unlink()

    done = run_script(tmp_path / "out", corpus_of_six)

    assert done.returncode == 1
    assert done.stdout.startswith("2 of 4 texts restored")
    assert f"missing: {corpus_of_six / 'b.conllu.gz'}\n" in done.stderr
    assert "not found: pair 3, context 1 (a.conllu, d3)\n" in done.stderr
    assert "not found: pair 2, context 1 (b.conllu.gz, d2)\n" in done.stderr


def test_the_script_says_where_it_belongs(tmp_path, corpus_of_six):
    write_release(release(collect_stories()[0]), tmp_path / "out")
    (tmp_path / "out/sources_sl.tsv").unlink()

    done = run_script(tmp_path / "out", corpus_of_six)

    assert done.returncode == 2
    assert "has no file sources_<lang>.tsv; give --release" in done.stderr


def test_texts_of_an_unknown_licence_are_withheld_on_request():
    collected, _ = collect_stories(licence="")
    as_they_are = release(collected)
    withheld = release(collected, withheld=(Publishing.FORBIDDEN, Publishing.UNKNOWN))

    assert SECRET.encode() in as_they_are.files["data/data_sl.tsv"]
    assert "rebuild.py" not in as_they_are.files
    assert SECRET.encode() not in withheld.files["data/data_sl.tsv"]


def test_the_figures_of_a_masked_text_are_those_of_the_text():
    collected, _ = collect_stories()
    report = release(collected).dataset.report
    open_report = release(collect_stories(licence="CC0")[0]).dataset.report

    assert report["confounds"] == open_report["confounds"]
    assert report["inputs"] != open_report["inputs"]


def test_a_masked_text_keeps_its_words_in_place():
    text = "Čuden <strong>dan</strong>: 12 <strong>ur</strong>, “ne” 海山!"

    assert mask_text(text) == "Xxxxx <strong>dan</strong>: 00 <strong>ur</strong>, “xx” 一一!"


def test_the_option_of_the_command_withholds_unknown_licences(tmp_path):
    from postprocess.__main__ import main
    from postprocess.release.sources import render_sources

    collected, stimuli = collect_stories(licence="")
    (tmp_path / "data_sl.tsv").write_text(render_stimuli(stimuli.rows), encoding="utf-8")
    rate(4).assign(language="sl").to_csv(tmp_path / "ratings_sl.csv", index=False)
    (tmp_path / "sources_sl.tsv").write_text(render_sources(collected.sources), encoding="utf-8")
    files = {"stimuli": "data_sl.tsv", "ratings": "ratings_sl.csv", "sources": "sources_sl.tsv"}
    named = [part for name, file in files.items() for part in (f"--{name}", str(tmp_path / file))]
    out = ["--out", str(tmp_path / "out"), "--language", "sl", "--recipe", "raw", "--no-report"]

    assert main(["release", *named, *out, "--withhold-unknown"]) == 0
    assert SECRET not in (tmp_path / "out/data/data_sl.tsv").read_text(encoding="utf-8")
    assert (tmp_path / "out/rebuild.py").exists()
