"""From stimuli over HTTP to the published dataset, byte for byte, with what a researcher types."""

import json
import os

from tests.end_to_end.commands import run_module
from tests.end_to_end.site import Site, opening
from tests.machine import ROOT

PLAIN = ("--recipe", "raw", "--set", "files.scientific_below=1e-4", "--no-report")


def test_the_published_finnish_dataset_comes_out_of_a_played_back_study(
    site: Site, published, tmp_path
):
    stimuli, ratings = published / "data_fi.tsv", published / "ratings_fi.csv"
    site.manage_all(
        ["import_stimuli", stimuli, "--study", "fi", "--language", "fi",
         "--ratings-per-context", "10", "--block-size", "20"],
        ["set_text", "fi", "practice", "--empty"],  # which test_rehearsal.py goes through
        opening("fi"),
    )  # fmt: skip

    output = site.manage("rehearse_study", "fi", "--base-url", site.url, "--ratings", ratings)
    site.manage("release_dataset", "fi", tmp_path / "out", *PLAIN, "--name", "cosimlex")

    assert output.splitlines()[-1] == "Annotators: 40, judgements: 480."
    dataset = (tmp_path / "out/cosimlex_fi_REHEARSAL.csv").read_bytes()
    assert dataset == (published / "cosimlex_fi.csv").read_bytes()
    assert (tmp_path / "out/data/data_fi_REHEARSAL.tsv").read_bytes() == stimuli.read_bytes()


def test_a_study_with_the_same_text_in_two_rows_is_played_back(site: Site, published, tmp_path):
    """The Slovene file has one; its contexts have 9 ratings or more."""
    site.make_study(
        published / "data_sl.tsv", "sl", "--language", "sl",
        "--ratings-per-context", "1", "--block-size", "111",
    )  # fmt: skip

    output = site.manage(
        "rehearse_study", "sl", "--base-url", site.url, "--ratings", published / "ratings_sl.csv"
    )
    site.manage("release_dataset", "sl", tmp_path / "out", *PLAIN)

    assert output.splitlines()[-2:] == [
        "Annotators: 2, judgements: 222.", "Ratings of the file not used: 2024.",
    ]  # fmt: skip
    rows = [row.split(",") for row in (published / "ratings_sl.csv").read_text("utf-8").split()]
    expected: dict[tuple[str, str], list[str]] = {}
    for _, pair, context, _, rating in rows[1:]:
        expected.setdefault((pair, context), []).append(rating)
    out = (tmp_path / "out/ratings_sl_REHEARSAL.tsv").read_text("utf-8").splitlines()
    released: dict[tuple[str, str], list[str]] = {}
    for _, pair, context, _, rating, *_ in (row.split("\t") for row in out[1:]):
        released.setdefault((pair, context), []).append(rating)
    assert released == {k: v[:1] for k, v in expected.items()}


def test_a_release_can_be_rebuilt_from_its_own_files(site: Site, tmp_path):
    site.make_study(
        ROOT / "demo/data_sl.tsv", "demo", "--language", "sl",
        "--ratings-per-context", "4", "--block-size", "3",
    )  # fmt: skip
    site.manage("rehearse_study", "demo", "--base-url", site.url, "--seed", "7")
    released, rebuilt = tmp_path / "released", tmp_path / "rebuilt"
    site.manage("release_dataset", "demo", released, "--no-report", "--name", "cosimlex")

    build = [
        "postprocess", "build", "--language", "sl", "--out", str(rebuilt),
        "--no-report",
        "--stimuli", str(released / "data/data_sl_REHEARSAL.tsv"),
        "--ratings", str(released / "ratings_sl_REHEARSAL.tsv"),
    ]  # fmt: skip
    assert run_module(build, os.environ, ROOT).returncode == 0

    files = sorted(path.relative_to(rebuilt) for path in rebuilt.rglob("*.*"))
    assert [str(file) for file in files] == [
        "annotators.tsv", "cosimlex_sl_REHEARSAL.csv", "data/data_sl_REHEARSAL.tsv",
        "distributions_sl_REHEARSAL.json", "distributions_sl_REHEARSAL.parquet",
        "gold/gold_sl_REHEARSAL.tsv", "intervals.tsv", "ledger.tsv", "recipe.toml", "report.json",
        "scores.tsv",
    ]  # fmt: skip
    for file in (one for one in files if one.name != "report.json"):
        assert (released / file).read_bytes() == (rebuilt / file).read_bytes(), file
    report, again = (
        json.loads((folder / "report.json").read_text(encoding="utf-8"))
        for folder in (released, rebuilt)
    )
    drop_what_is_not_published(report)
    drop_what_is_not_published(again)
    assert report.pop("to_be_written")
    assert report.pop("notes") == [
        "questionnaires of scripted annotators (a rehearsal), not of people, in all rounds: 16",
        *again.pop("notes"),
    ]
    assert report == again
    assert report["counts"]["pairs"] == 6
    assert report["counts"]["groups"] == 4


def drop_what_is_not_published(report):
    """Return the blocks, positions and times of a study, which its release must not contain."""
    report["inputs"].pop("details", None)
    report["agreement"]["by"].pop("block", None)
    del report["agreement"]["not_known"], report["confounds"]["not_known"]
    hidden = ("position", "seconds", "annotator_seconds")
    rows = report["confounds"]["table"]
    report["confounds"]["table"] = [row for row in rows if row["confound"] not in hidden]
