"""A published data set and the release of a design that replicates it."""

import json
from dataclasses import replace

import pandas as pd
import pytest

from postprocess.__main__ import main
from postprocess.designs.design import read_design
from postprocess.release.assembling import write_release
from postprocess.reporting.two_collections.items_page import render_items
from postprocess.table.ratings import RatingsError
from postprocess.two_collections.items import ScoredItems, compare_items, read_scored, write_scored
from tests.factories.designed import designed_release

SIMLEX = read_design("simlex")
WORDS = pd.DataFrame({"id": list("1234"), "word1": list("abcd"), "word2": list("wxyz")})


def scored(name, scores, **more):
    return ScoredItems(name, WORDS.assign(score=scores, error=0.5, **more))


@pytest.mark.parametrize(
    ("name", "more", "figures"),
    [
        ("simlex", {"pos": "N"}, {"pearson": 1, "spearman": 1, "difference": 0}),
        ("scws", {"pos1": "n", "pos2": "v"}, {"pearson": 1, "spearman": 1, "difference": 0}),
        ("wic", {"pos": "N"}, {"accuracy": 1, "kappa": 1}),
    ],
)
def test_a_release_agrees_with_its_published_files(name, more, figures, tmp_path, capsys):
    release, loaded = tmp_path / "release", tmp_path / "loaded"
    write_release(designed_release(name, 12, more=more), release)
    published = str(release / "published")
    assert main(["load", name, published, "--language", "en", "--out", str(loaded)]) == 0

    by = ["--match", "words" if name == "simlex" else "texts"]
    out = ["--out", str(tmp_path / "out"), *by]
    assert main(["compare-collections", str(loaded), str(release), *out]) == 0

    report = json.loads((tmp_path / "out" / "comparison.json").read_text())
    assert {key: report[key] for key in figures} == pytest.approx(figures, abs=0.002)
    errors_of = {"simlex": ["second"], "scws": ["first", "second"], "wic": []}[name]
    assert (report["n"], report["errors_of"]) == (12, errors_of)
    assert report["n_far"] == (0 if errors_of else None)
    assert report["second"]["agreement"]["human"] is not None or name == "wic"
    assert (report["first"]["agreement"] is None) == (name != "scws")
    printed = capsys.readouterr().out
    assert f"12 in both, matched by {by[1]}" in printed
    assert ("standard errors apart" in printed) == (name != "wic")
    assert ("of release, the only ones known" in printed) == (name == "simlex")
    header, *rows = (tmp_path / "out" / "items.tsv").read_text().splitlines()
    assert header.startswith("id\tword1\tword2")
    assert len(rows) == 12
    page = (tmp_path / "out" / "comparison.html").read_text()
    assert "loaded and release: a data set and its replication" in page
    assert ("<dt>accuracy</dt><dd>1.000</dd>" if name == "wic" else "<dt>pearson</dt>") in page
    assert (tmp_path / "out" / "plots" / "scores.svg").exists() == (name != "wic")


def test_figures_of_scores_are_those_by_hand():
    first, second = scored("A", [1, 2, 3, 4], pos=list("NNNV")), scored("B", [1, 2, 3, 8])

    comparison = compare_items(first, second, SIMLEX)

    report = comparison.report
    assert (report["by"], report["n"], report["difference"], report["n_far"]) == ("id", 4, 1, 1)
    assert report["pearson"] == pytest.approx(11 / (5 * 29) ** 0.5)
    assert report["spearman"] == 1
    assert comparison.items["is_far"].tolist() == ["no", "no", "no", "yes"]
    assert comparison.parts_of_speech[["pos", "n", "difference"]].values.tolist() == [
        ["N", 3, 0], ["V", 1, 4]
    ]  # fmt: skip


def test_the_page_lists_the_items_that_are_far_apart():
    first, second = scored("A", [1, 2, 3, 4], pos=list("NNNV")), scored("B", [1, 2, 3, 8])

    page = render_items(compare_items(first, second, SIMLEX))["comparison.html"].decode()

    assert "<dt>far apart</dt><dd>1 item</dd>" in page
    listed = page[page.index('id="far-caption"') : page.index('id="methods"')]
    assert [f"<bdi>{n}</bdi></th>" in listed for n in "1234"] == [False, False, False, True]


def test_tags_have_accuracy_and_kappa():
    first, second = scored("A", [1, 1, 0, 0]), scored("B", [1, 0, 0, 0])

    report = compare_items(first, second, read_design("wic")).report

    assert (report["accuracy"], report["kappa"]) == (0.75, 0.5)
    assert "pearson" not in report


def test_words_are_matched_in_either_order():
    first, other = scored("A", [1, 2, 3, 4]), scored("B", [4, 3, 2, 1])
    turned = other.items.rename(columns={"word1": "word2", "word2": "word1"})
    second = replace(other, items=turned.assign(id=list("5678")).iloc[::-1].reset_index(drop=True))

    report = compare_items(first, second, SIMLEX).report

    assert (report["by"], report["pearson"]) == ("words", -1)


def test_items_that_one_side_lacks_are_refused_unless_they_are_left_out():
    first, second = scored("A", [1, 2, 3, 4]), scored("B", [1, 2, 3, 4])
    shorter = replace(second, items=second.items.head(3))

    with pytest.raises(RatingsError, match="B lacks 1 item of the other"):
        compare_items(first, shorter, SIMLEX)

    assert compare_items(first, shorter, SIMLEX, only_matched=True).report["n"] == 3


def test_two_items_with_the_same_words_need_ids():
    first, second = scored("A", [1, 2, 3, 4]), scored("B", [1, 2, 3, 4])
    first.items.loc[3, ["word1", "word2"]] = ["w", "A"]
    second.items.loc[3, ["word1", "word2"]] = ["w", "A"]

    with pytest.raises(RatingsError, match="A has items with the same words: rows 4"):
        compare_items(first, second, SIMLEX, by="words")

    assert compare_items(first, second, SIMLEX).report["by"] == "id"


@pytest.mark.parametrize(
    ("by", "message"), [("number", "not by number"), ("texts", "without text1 cannot be matched")]
)
def test_keys_that_items_lack_are_refused(by, message):
    sides = scored("A", [1, 2, 3, 4]), scored("B", [1, 2, 3, 4])

    with pytest.raises(RatingsError, match=message):
        compare_items(*sides, SIMLEX, by=by)


def test_a_folder_that_load_did_not_write_is_refused(tmp_path, capsys):
    write_release(designed_release("simlex"), tmp_path / "release")

    assert main(["compare-collections", str(tmp_path), str(tmp_path / "release")]) == 2

    assert "make it with python -m postprocess load simlex" in capsys.readouterr().err


@pytest.mark.parametrize("separator", ["\u2028", "\x85", "\x0b", "\x0c", '"', "|"])
def test_a_stored_data_set_is_read_as_it_was(separator):
    texts = [f"a {separator} b", "c", "d", "e"]
    ratings = pd.DataFrame(
        {"pair": [1, 1, 3], "context": 1, "annotator": list("xyx"), "rating": [1.0, 2.5, 0.0]}
    )
    stored = scored("set", [1.75, 0.1, 0.0, 4.0], text1=texts)
    stored = replace(stored, ratings=ratings)

    read = read_scored(write_scored(stored), "set")

    assert read.items["text1"].tolist() == texts
    assert read.items["score"].tolist() == stored.items["score"].tolist()
    given = read.ratings.sort_values(["pair", "annotator"])
    assert given[["pair", "rating"]].to_numpy().tolist() == [[1, 1], [1, 2.5], [3, 0]]
