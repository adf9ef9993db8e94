import shutil

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as limits
from hypothesis import strategies as st

from postprocess.auditing import AuditError
from postprocess.auditing.examining import audit_dataset
from postprocess.auditing.findings import Check
from postprocess.auditing.reconstruction.contexts import Assumptions
from postprocess.formats.tabular import Severity
from postprocess.release.assembling import write_release
from postprocess.steps.recipe import read_recipe
from postprocess.table.ratings import Scale
from tests.postprocess.auditing.corrupting import DATA, GOLD, put, write, write_dataset
from tests.postprocess.published_format import build
from tests.postprocess.release.releases import collect, numbered_row, release


@pytest.fixture(scope="module")
def audit_of_published(published):
    return audit_dataset(published)


def summary_of(audit, name):
    return next(dict(kit.summary) for kit in audit.kits if kit.name == name)


def with_practice(folder, *rows):
    """Write a dataset, and a practice kit with rows of its test data."""
    write_dataset(folder)
    practice = folder / "practice_kit"
    practice.mkdir()
    for name in (DATA, GOLD):
        lines = (folder / name).read_text(encoding="utf-8").splitlines(keepends=True)
        path = practice / name.rpartition("/")[2]
        path.write_text("".join([lines[0], *(lines[row] for row in rows)]), encoding="utf-8")
    return folder


@pytest.mark.parametrize(
    ("language", "n_pairs", "sizes"), [("fi", 24, [10]), ("sl", 111, [9, 10, 11])]
)
def test_published_datasets_are_possible(audit_of_published, language, n_pairs, sizes):
    name, audit = f"cosimlex_{language}.csv", audit_of_published

    summary = summary_of(audit, name)
    checks = {one.check for one in audit.findings if one.file == name}
    assert checks <= {Check.REPEATS, Check.TARGETS}
    assert summary["mean and deviation"].startswith(f"possible in {2 * n_pairs} of {2 * n_pairs} ")
    assert summary["p-value"] == f"{n_pairs} of {n_pairs} possible, one-sided"
    assert summary[f"data_{language}.tsv"] == f"{n_pairs} of {n_pairs} rows agree"
    counted = summary["ratings per context"].partition("(")[2]
    assert [int(part.split()[0]) for part in counted.split(", ")] == sizes


@pytest.mark.parametrize(("language", "sizes"), [("fi", range(10, 11)), ("sl", range(9, 12))])
def test_published_figures_fit_the_known_numbers_of_ratings(published, language, sizes):
    assumptions = Assumptions(sizes=sizes, is_known=True)

    audit = audit_dataset(published / f"cosimlex_{language}.csv", None, assumptions)

    assert {one.check for one in audit.findings} <= {Check.REPEATS, Check.TARGETS}


def test_the_pair_that_is_published_twice_is_reported(audit_of_published):
    # rows 27 and 65, with exchanged words; two word pairs occur twice with other contexts, which
    # is not a repeat
    noticed = audit_of_published.findings

    (finding,) = (one.finding for one in noticed if one.check is Check.REPEATS)
    assert (finding.severity, finding.row) == (Severity.WARNING, 65)
    assert finding.reason.startswith(
        "the same words and contexts as row 27 (the words exchanged), with other scores: "
        "8.5 and 8.33 (deviations 1.66 and 1.97) here and 8.17 and 8.48 (deviations 2.14 and "
        "1.57) there"
    )


def test_the_published_practice_kit_overlaps_with_the_test_data(audit_of_published, published):
    audit = audit_of_published
    kit = (published / "practice_kit").name

    noticed = [one for one in audit.findings if one.check is Check.PRACTICE]
    assert [(one.file, one.finding.row) for one in noticed] == [
        (f"{kit}/data_sl.tsv", row) for row in range(1, 6)
    ]
    assert all("with the same scores" in one.finding.reason for one in noticed)
    for language in ("en", "hr"):
        summary = summary_of(audit, f"practice_kit/data_{language}.tsv")["in the test data"]
        assert summary == f"not compared: there is no test data in the language {language}"


@limits(max_examples=12)
@given(st.integers(0, 2**32), st.integers(1, 6), st.integers(1, 14), st.integers(0, 8))
def test_datasets_built_from_ratings_have_no_errors(tmp_path_factory, seed, n_pairs, least, more):
    rng = np.random.default_rng(seed)
    pairs = [
        [rng.integers(0, 7, size=rng.integers(least, least + more + 1)).tolist() for _ in (1, 2)]
        for _ in range(n_pairs)
    ]
    folder = write(build(*pairs).files, tmp_path_factory.mktemp("built"))

    audit = audit_dataset(folder)

    assert [one for one in audit.findings if one.is_error] == []


def test_calibration_by_half_points_needs_that_step(tmp_path):
    recipe = read_recipe("raw", ["scale.step=0.5"])
    rng = np.random.default_rng(6)
    pairs = (rng.integers(0, 13, size=(12, 2, 10)) / 2).tolist()
    folder = write(build(*pairs, recipe=recipe).files, tmp_path)
    ten = range(10, 11)

    whole = audit_dataset(folder, None, Assumptions(sizes=ten, is_known=True))
    halves = Assumptions(Scale(0, 6, 0.5), sizes=ten, is_known=True)

    assert whole.n_errors > 10
    assert audit_dataset(folder, None, halves).findings == []


def test_practice_pairs_in_the_test_data_are_warnings(tmp_path):
    audit = audit_dataset(with_practice(tmp_path, 2, 7))

    assert audit.n_errors == 0
    assert [one.finding.row for one in audit.findings] == [1, 2]
    assert "row 7 of cosimlex_xx.csv with the same scores" in audit.findings[1].finding.reason
    assert summary_of(audit, "practice_kit/data_xx.tsv")["in the test data"] == (
        "2 of 2 pairs are in cosimlex_xx.csv, 2 with the same scores, 0 with the contexts exchanged"
    )


def test_practice_pairs_with_other_scores_are_recognised(tmp_path):
    folder = with_practice(tmp_path, 2)
    put(folder / "practice_kit/gold_xx.tsv", 1, sim_context1="0", sim_context2="1", change="1")

    (one,) = audit_dataset(folder).findings

    assert "with other scores" in one.finding.reason


def test_practice_pairs_that_share_a_text_are_warnings(tmp_path):
    folder = with_practice(tmp_path, 2)
    put(folder / "practice_kit/data_xx.tsv", 1, context1="Another <strong>bank2</strong> and "
        "<strong>river2</strong>.")  # fmt: skip

    (one,) = audit_dataset(folder).findings

    assert "one of the texts is in row 2" in one.finding.reason
    summary = summary_of(audit_dataset(folder), "practice_kit/data_xx.tsv")["in the test data"]
    assert summary == "0 of 1 pairs are in cosimlex_xx.csv; 1 more share a text with it"


def test_test_data_without_a_dataset_is_compared_with_practice(tmp_path):
    folder = with_practice(tmp_path, 3)
    (folder / "cosimlex_xx.csv").unlink()

    (one,) = audit_dataset(folder).findings

    assert "row 3 of data/data_xx.tsv with the same scores" in one.finding.reason


def test_a_practice_kit_in_another_folder_is_compared(tmp_path):
    folder = with_practice(tmp_path / "all", 4)
    elsewhere = shutil.move(folder / "practice_kit", tmp_path / "kit")

    (one,) = audit_dataset(folder, elsewhere).findings

    assert (one.file, one.finding.row) == ("kit/data_xx.tsv", 1)
    single = audit_dataset(folder / "cosimlex_xx.csv", elsewhere)
    assert [one.finding.row for one in single.findings] == [1]


def test_a_release_has_no_findings(tmp_path):
    rows = [numbered_row(number) for number in range(1, 9)]
    write_release(release(collect(rows=rows), n_practice=2), tmp_path / "release")

    audit = audit_dataset(tmp_path / "release")

    assert audit.findings == []
    summary = summary_of(audit, "practice_kit/cosimlex_sl.csv")["in the test data"]
    assert summary == "0 of 2 pairs are in cosimlex_sl.csv"


def test_unreadable_files_are_refused_if_there_are_no_others(tmp_path):
    (tmp_path / "cosimlex_xx.csv").write_text("word1,word2\n")

    with pytest.raises(AuditError, match="missing columns"):
        audit_dataset(tmp_path)
