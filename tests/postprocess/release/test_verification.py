import hashlib
import json
import re

import pytest

from postprocess.__main__ import main
from postprocess.release import ReleaseError
from postprocess.release.assembling import Choices, build_release, write_release
from postprocess.release.verification.verifying import render_verification, verify_release
from tests.postprocess.release.releases import (
    KEY,
    RECIPE,
    collect,
    full_description,
    full_entries,
    rate,
    release,
    release_with_practice,
    words_of,
)


@pytest.fixture
def folder(tmp_path):
    """A release of four pairs, whose files a test may change."""
    write_release(release(), tmp_path / "out")
    return tmp_path / "out"


def change(folder, name, old, new):
    """Replace a text in a file once, and its digest in SHA256SUMS, as a careful forger would."""
    path = folder / name
    before = path.read_bytes()
    assert old in before
    path.write_bytes(before.replace(old, new, 1))
    sums = folder / "SHA256SUMS"
    digests = [hashlib.sha256(content).hexdigest() for content in (before, path.read_bytes())]
    sums.write_text(sums.read_text().replace(*digests))


def test_all_figures_of_a_release_follow_from_its_ratings(folder):
    found = verify_release(folder)

    scores = (folder / "scores.tsv").read_text().split()
    assert found.is_confirmed, found.differences
    assert (found.n_rounded, found.n_unpublished, found.n_ratings) == (0, 0, 44)
    assert found.n_figures > len(scores)
    assert found.summary == f"All {found.n_figures:,} figures follow from the ratings."
    assert found.unchecked == ()


def test_a_release_with_practice_words_scripts_and_checks_is_verified(tmp_path):
    write_release(release_with_practice(), tmp_path / "practice")
    collected = collect(
        words=words_of(rate(4), "more"), scripted={"worker-1-1"}, details=timed(rate(4))
    )
    consent = {"obtained": "Yes.", "publishes_words": True}
    write_release(release(collected, full_description(consent=consent)), tmp_path / "words")

    assert verify_release(tmp_path / "practice").is_confirmed
    found = verify_release(tmp_path / "words")
    assert found.is_confirmed, found.differences
    assert found.n_unpublished > 0  # figures by block and time


def timed(ratings):
    places = ratings[["pair", "context", "annotator"]].astype(str)
    return places.assign(block="1", seconds=[float(n % 7) for n in range(len(ratings))])


def test_notes_on_figures_and_notes_of_the_study_are_told_apart(tmp_path):
    without_groups = rate(4, n_annotators=2).drop(columns=["group", "mark"])
    made = build_release(
        collect(ratings=without_groups), full_description(), RECIPE, Choices(KEY),
        language="sl", notes=["Two assignments were repeated."],
    )  # fmt: skip
    write_release(made, tmp_path / "out")

    assert len(made.dataset.report["notes"]) > 1
    assert verify_release(tmp_path / "out").is_confirmed


@pytest.mark.parametrize(
    ("name", "pattern", "place"),
    [
        ("cosimlex_sl.csv", rb"\t(\d\.\d+)\t", "row 1, sim1"),
        ("gold/gold_sl.tsv", rb"\n(-?\d[.\d]*)\t", "row 1, sim_context1"),
        ("ledger.tsv", rb"\t(yes)\t", "row 1, used"),
        ("report.json", rb'"human": (0\.\d+)', "agreement.by.group[1].human"),
        ("distributions_sl.json", rb'"n": (\d+)', "contexts[1].given.n"),
        ("distributions_sl.json", rb'("points")', ""),
        ("README.md", rb"(ratings)", ""),
        ("ratings_sl.parquet", rb"(PAR1)", ""),
    ],
)
def test_a_changed_figure_is_found_though_its_checksum_was_changed(folder, name, pattern, place):
    content = (folder / name).read_bytes()
    old = re.search(pattern, content)[0]
    new = old.replace(re.search(pattern, content)[1], b"7.5")
    change(folder, name, old, new)

    found = verify_release(folder)

    assert not found.is_confirmed
    assert (name, place) in {(one.file, one.place) for one in found.differences}


def test_files_that_the_version_of_a_release_did_not_write_are_no_differences(folder):
    version = json.loads((folder / "report.json").read_text())["code"]["version"]
    change(folder, "report.json", f'"version": "{version}"'.encode(), b'"version": "0.0.1"')
    sums = folder / "SHA256SUMS"
    lines = sums.read_text().splitlines(keepends=True)
    new = ("intervals.tsv", "distributions_sl.json", "distributions_sl.parquet")
    sums.write_text("".join(line for line in lines if not line.rstrip().endswith(new)))
    for name in new:
        (folder / name).unlink()

    assert verify_release(folder).differences == ()


def test_a_changed_rating_changes_the_figures_that_rest_on_it(folder):
    path = folder / "ratings_sl.tsv"
    line = path.read_text().splitlines()[1]
    fields = line.split("\t")
    fields[4] = "6" if fields[4] != "6" else "0"
    change(folder, path.name, line.encode(), "\t".join(fields).encode())

    files = {one.file for one in verify_release(folder).differences}

    assert {"scores.tsv", "ledger.tsv", "report.json", "ratings_sl.parquet"} <= files


def test_files_are_compared_with_the_checksums(folder):
    (folder / "scores.tsv").write_bytes((folder / "scores.tsv").read_bytes() + b"\n")
    (folder / "texts/consent_2.md").unlink()
    (folder / "more.txt").write_text("not listed")

    found = {(one.file, one.place) for one in verify_release(folder).differences}

    assert {
        ("SHA256SUMS", name) for name in ("scores.tsv", "texts/consent_2.md", "more.txt")
    } <= found
    assert ("texts/consent_2.md", "") in found


def test_other_code_is_told_and_its_documents_are_not_compared(folder):
    report = json.loads((folder / "report.json").read_text())
    change(folder, "report.json", report["code"]["sha256"].encode(), b"0" * 64)

    text = render_verification(verify_release(folder))

    assert "made with 0.1.0 (00000000), computed again with 0.1.0 (" in text
    assert text.endswith("figures follow from the ratings.\n")


@pytest.mark.parametrize(
    "name", ["report.json", "recipe.toml", "ratings_sl.tsv", "cosimlex_sl.csv"]
)
def test_a_folder_without_a_file_is_refused(folder, name):
    (folder / name).unlink()

    with pytest.raises(ReleaseError, match=f"{name} is missing|has one file <name>"):
        verify_release(folder)


def test_the_command_ends_with_one_sentence_and_its_status(folder, capsys, tmp_path):
    assert main(["verify", str(folder)]) == 0
    assert re.search(r"\nAll [\d,]+ figures follow from the ratings\.\n$", capsys.readouterr().out)

    (folder / "scores.tsv").write_bytes(b"pair\n")
    assert main(["verify", str(folder)]) == 1
    assert main(["verify", str(tmp_path / "nowhere")]) == 2
    assert "unpack the archive" in capsys.readouterr().err


def test_a_release_with_its_own_name_and_one_in_the_published_layout_are_verified(tmp_path):
    named = full_description(dataset={**full_entries()["dataset"], "name": "usim-2"})
    own = release(collect(6), named, n_practice=2)
    as_published = release(collect(6), named, n_practice=2, name="cosimlex")

    assert {"usim-2_sl.csv", "usim-2_sl.parquet", "practice_kit/usim-2_sl.csv"} <= own.files.keys()
    assert "usim-2_sl.parquet" in own.files["README.md"].decode()
    assert "cosimlex_sl.csv" in as_published.files
    figures = set()
    for folder, made in (("own", own), ("published", as_published)):
        write_release(made, tmp_path / folder)
        found = verify_release(tmp_path / folder)
        assert found.is_confirmed
        figures.add(found.n_figures)
    assert len(figures) == 1


def test_two_datasets_in_one_folder_are_refused(folder):
    (folder / "other_sl.csv").write_bytes((folder / "cosimlex_sl.csv").read_bytes())

    with pytest.raises(ReleaseError, match=r"has one file .*, but this has 2"):
        verify_release(folder)
