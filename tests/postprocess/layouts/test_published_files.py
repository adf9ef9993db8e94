"""The extracts of published files beside the repository, if they are on this machine."""

from fractions import Fraction

import pytest

from postprocess.formats.writing import write_files
from postprocess.layouts.auditing import audit_layout
from postprocess.layouts.columns import round_half_up
from postprocess.layouts.crosslingual import list_scored, make_pairs
from postprocess.layouts.published import LAYOUTS, SEMEVAL2017, SIMLEX
from postprocess.layouts.published_set import load_set, render_set
from postprocess.layouts.reading import group_files, load_files, read_set
from postprocess.layouts.splitting import normalise
from postprocess.layouts.writing import write_set
from tests.machine import SHARED, PublishedPath

PUBLISHED = PublishedPath(SHARED / "published")


@pytest.mark.parametrize("name", sorted({*LAYOUTS} - {"usim"}))
def test_the_extracts_come_back(name, tmp_path):
    layout = LAYOUTS[name]

    for number, files in enumerate(group_files(layout, [PUBLISHED / name])):
        published = read_set(layout, files)
        write_files(render_set(published), tmp_path / str(number))
        written = write_set(load_set(layout, tmp_path / str(number)))

        changed = {file for file, _ in published.warnings}
        assert written == {file: normalise(content) for file, content in files.items()}
        assert {file for file, content in files.items() if written[file] != content} == changed
        assert {finding.what for _, finding in published.warnings} <= {
            "lines end in LF, not CRLF or CR"
        }


def test_simlex_has_its_published_means_and_three_impossible_deviations():
    (kit,) = audit_layout(SIMLEX, [PUBLISHED / "simlex"]).kits

    summary = dict(kit.summary)
    assert (summary["items"], summary["mean score"], summary["mean deviation"]) == (
        "999", "4.56", "1.27",
    )  # fmt: skip
    assert [entry.finding.row for entry in kit.findings] == [4, 760, 767]


def test_one_spanish_score_is_no_mean_of_three_ratings():
    audit = audit_layout(SEMEVAL2017, [PUBLISHED / "semeval2017"])

    assert [(entry.file, entry.finding.row) for entry in audit.findings] == [("es.test.txt", 57)]


def test_the_pairs_of_english_and_spanish_are_those_that_were_published():
    english, spanish, published = (
        load_files(SEMEVAL2017, [PUBLISHED / f"semeval2017/{name}.test.txt"])
        for name in ("en", "es", "en-es")
    )
    by_id = [{f["id"]: f["score"] for f in s.figures} for s in (english, spanish, published)]
    scores = {(item["word1"], item["word2"]): by_id[2][item["id"]] for item in published.items}

    pairs = make_pairs(list_scored(english), list_scored(spanish))

    assert len(pairs) == 978
    printed = [_print_as_published(by_id[0][pair.id], by_id[1][pair.id]) for pair in pairs]
    assert {(p.word1, p.word2): text for p, text in zip(pairs, printed, strict=True)} == scores
    assert sum(round_half_up(p.score) != scores[p.word1, p.word2] for p in pairs) == 24


def _print_as_published(score1, score2):
    """Return the mean of two printed scores as a binary number, which is then rounded half up."""
    return round_half_up(Fraction((float(score1) + float(score2)) / 2))


@pytest.mark.parametrize("name", ["wic", "scws", "dwug"])
def test_nothing_odd_is_found_in_the_others(name):
    audit = audit_layout(LAYOUTS[name], [PUBLISHED / name])

    assert audit.findings == []
