import json
import shutil
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from postprocess.__main__ import main
from postprocess.families.comparing import FamilyError, Member, compare_family, load_member
from postprocess.families.page import render_family
from postprocess.formats.files import read_dataset
from postprocess.formats.tabular import TableError
from postprocess.release.assembling import Choices, build_release, write_release
from postprocess.reporting.published import HEADINGS, SIMLEX, write_rows
from postprocess.table.scale import Scale
from postprocess.two_collections.collection import collection_of_scores
from tests.factories.collections import scores_of
from tests.postprocess.release import releases

HEADER = "id\tpos\tscore\tsl_word1\tsl_word2\tfi_word1\tfi_word2\n"
LINES = [  # bank3 and bank2 are pairs of both languages
    "p0\tnoun\t1\tbank0\tRiver\t\t", "p1\tnoun\t2\tbank1\triver\t\t",
    "p2\tverb\t3\tbank2\triver\triver\tbank0", "p3\tnoun\t10\tbank3\triver\tbank1\triver",
]  # fmt: skip
FIGURES = dict.fromkeys(HEADINGS, "1")


def member(sims, language, **more):
    return Member(scores_of(sims, name=f"of_{language}", language=language, **more), FIGURES, "0")


@pytest.fixture
def two_languages():
    return [member([(0, 1), (5, 2), (4, 8), (2, 2)], "sl"), member([(0, 6), (5, 5)], "fi")]


@pytest.fixture
def write_key(tmp_path):
    def write(lines=LINES, header=HEADER):
        path = tmp_path / "key.tsv"
        path.write_text(header + "".join(f"{line}\n" for line in lines), encoding="utf-8")
        return path

    return write


@pytest.fixture(scope="module")
def two_releases(tmp_path_factory):
    """Return the folders of two releases whose pairs 3 and 4 are the same."""
    folder = tmp_path_factory.mktemp("family")
    for language, numbers in (("sl", range(1, 5)), ("fi", range(3, 7))):
        ratings = releases.rate(4)
        places = ratings[["pair", "context", "annotator"]].astype(str)
        pos = np.where(ratings["pair"] < 3, "noun", "verb")
        rows, details = [*map(releases.numbered_row, numbers)], places.assign(pos=pos)
        collected, how = releases.collect(rows=rows, details=details), Choices(releases.KEY, 1)
        described = releases.full_description()
        made = build_release(collected, described, releases.RECIPE, how, language=language)
        write_release(made, folder / language)
    return [folder / "sl", folder / "fi"]


def test_the_overlap_counts_pairs_by_their_words_in_either_order(two_languages, write_key):
    family = compare_family(two_languages, write_key())

    assert family.tables["overlap"].fillna(0).to_numpy().tolist() == [
        ["p0", 1, 1, 0], ["p1", 1, 2, 0], ["p2", 2, 3, 1], ["p3", 2, 4, 2],
    ]  # fmt: skip
    assert family.report["overlap"] == {"1": 2, "2": 2}


def test_pairs_of_the_same_words_are_matched_in_their_order(write_key):
    twice = [f"p{n}\tnoun\t1\tbank0\triver" for n in (1, 2)]
    rows = (scores_of([(0, 1)]).rows[0],) * 3
    only = replace(member([(0, 1)] * 3, "sl").collection, rows=rows)

    path = write_key(twice, "id\tpos\tscore\tsl_word1\tsl_word2\n")
    family = compare_family([Member(only, FIGURES, "0")], path)

    assert family.tables["overlap"].to_numpy().tolist() == [["p1", 1, 1], ["p2", 1, 2]]


def test_without_a_key_there_is_no_overlap(two_languages):
    family = compare_family(two_languages)

    assert family.report["overlap"] == {}
    assert family.tables["changes"]["pos"].tolist() == ["all", "all"]


def test_changes_are_absolute_and_by_part_of_speech(two_languages, write_key):
    changes = compare_family(two_languages, write_key()).tables["changes"]

    assert changes[["language", "pos", "n", "mean", "50%"]].to_numpy().tolist() == [
        ["sl", "all", 4, 2.0, 2.0], ["sl", "noun", 3, pytest.approx(4 / 3), 1.0],
        ["sl", "verb", 1, 4.0, 4.0],
        ["fi", "all", 2, 3.0, 3.0], ["fi", "noun", 1, 0.0, 0.0], ["fi", "verb", 1, 6.0, 6.0],
    ]  # fmt: skip


def test_the_distance_is_that_of_the_published_languages(published):
    members = [
        Member(
            collection_of_scores(
                read_dataset((published / f"cosimlex_{language}.csv").read_bytes()),
                Scale(0, 10), name=language, language=language,
            ),
            FIGURES, "0",
        )
        for language in ("sl", "fi")
    ]  # fmt: skip

    distance = compare_family(members).tables["distance"].set_index("language")

    assert distance["r"].round(3).to_dict() == {"all": -0.043, "sl": -0.047, "fi": -0.101}
    assert distance["contexts"].to_dict() == {"all": 270, "sl": 222, "fi": 48}
    assert distance["pairs"].to_dict() == {"all": 135, "sl": 111, "fi": 24}
    assert (distance["low"] < distance["r"]).all()
    assert (distance["r"] < distance["high"]).all()
    assert distance["high"]["fi"] - distance["low"]["fi"] > 0.3


def test_table_1_has_the_row_of_simlex():
    row = write_rows({"SimLex-999": SIMLEX})[0]

    assert row == ["SimLex-999", "999", "0.78", "4.56", "1.27", *["–"] * 5]


@pytest.mark.parametrize(
    ("lines", "place"),
    [
        (["\tnoun\t1\tbank0\triver\t\t"], "row 1 (line 2), id: the id is empty or repeated"),
        ([LINES[0], LINES[0]], "row 2 (line 3), id: the id is empty or repeated"),
        (["p\tnoun\t1\tbank0\t\t\t"], "row 1 (line 2), sl_word1: one of the words is missing"),
        (["p\tnoun\t11\t\t\t\t"], "row 1 (line 2), score: the score is not within 0–10"),
        (["p\tnoun\tmuch\t\t\t\t"], "row 1 (line 2), score: the score is not within 0–10"),
        (["p\tnoun"], "row 1 (line 2)"),
    ],
)
def test_a_wrong_key_is_refused_by_row_and_column(two_languages, write_key, lines, place):
    with pytest.raises(TableError) as refused:
        compare_family(two_languages, write_key(lines))

    assert f"key.tsv: {place}" in str(refused.value)


def test_pairs_that_the_key_lacks_are_named(two_languages, write_key):
    with pytest.raises(FamilyError, match=r"the key lacks pairs of of_sl: row 4 \(bank3, river\)"):
        compare_family(two_languages, write_key(LINES[:3]))


def test_one_language_twice_and_other_scales_are_refused(two_languages):
    with pytest.raises(FamilyError, match=r"one release of each language.*of_sl .sl, 0–10"):
        compare_family([two_languages[0]] * 2)
    other = member([(0, 6)], "fi", published=Scale(0, 6))
    with pytest.raises(FamilyError, match=r"of_fi .fi, 0–6"):
        compare_family([two_languages[0], other])


def test_scripted_ratings_mark_titles_and_names(two_languages, write_key):
    scripted = replace(two_languages[1].collection, n_scripted=7)
    members = [two_languages[0], two_languages[1]._replace(collection=scripted)]

    files = render_family(compare_family(members, write_key()))

    assert {"family_REHEARSAL.html", "changes_REHEARSAL.tsv", "figures/scores_REHEARSAL.svg"} < {
        *files
    }
    assert b"<h1>REHEARSAL: One data set in 2 languages" in files["family_REHEARSAL.html"]


def test_the_command_writes_page_tables_and_figures(two_releases, tmp_path):
    key = tmp_path / "key.tsv"
    rows = [f"p{n}\talpha{n}\tbeta{n}\tbeta{n}\talpha{n}\n" for n in range(1, 7)]
    key.write_text("id\tsl_word1\tsl_word2\tfi_word1\tfi_word2\n" + "".join(rows), "utf-8")
    arguments = ["family", *map(str, two_releases), "--key", str(key), "--out"]

    assert main([*arguments, str(tmp_path / "out")]) == 0
    assert main([*arguments, str(tmp_path / "again")]) == 0

    files = {p.relative_to(tmp_path / "out").as_posix(): p.read_bytes()
             for p in (tmp_path / "out").rglob("*.*")}  # fmt: skip
    assert set(files) == {
        "family.html", "family.json", "overlap.tsv", "scores.tsv", "changes.tsv", "distance.tsv",
        "figures/changes.svg", "figures/changes.png",
    }  # fmt: skip
    assert all((tmp_path / "again" / name).read_bytes() == files[name] for name in files)
    report = json.loads(files["family.json"])
    assert report["overlap"] == {"1": 4, "2": 2}
    for folder in two_releases:
        own = json.loads((folder / "report.json").read_text("utf-8"))["table1"]["figures"]
        overall = pd.DataFrame(report["changes"]).query("language == @folder.name")
        assert overall["pos"].tolist() == ["all", "noun", "verb"]
        assert overall["mean"].iloc[0] == pytest.approx(own["change"], abs=1e-9)


def test_a_release_without_table_1_is_refused(two_releases, tmp_path):
    folder = shutil.copytree(two_releases[0], tmp_path / "sl")
    report = json.loads((folder / "report.json").read_text("utf-8")) | {"table1": 1}
    (folder / "report.json").write_text(json.dumps(report), "utf-8")

    with pytest.raises(FamilyError, match=r"sl: report.json has no Table 1"):
        load_member(folder)


def test_a_folder_that_is_no_release_is_named_and_nothing_is_written(
    two_releases, tmp_path, capsys
):
    (tmp_path / "empty").mkdir()

    assert main(["family", str(two_releases[0]), str(tmp_path / "empty"),
                 "--out", str(tmp_path / "out")]) == 2  # fmt: skip

    assert "empty: the folder of a release has one file" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()
