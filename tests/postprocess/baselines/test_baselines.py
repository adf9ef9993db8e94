"""Baselines of the texts and of lists give the figures that were computed elsewhere."""

import gzip

import numpy as np
import pytest

from postprocess.baselines.errors import BaselineError
from postprocess.baselines.importing import import_similarities
from postprocess.baselines.results import find_language, read_pairs, render_results
from postprocess.baselines.texts import (
    compare_forms,
    predict_constant,
    predict_distance,
    predict_form,
)
from postprocess.baselines.words import predict_scores, predict_static
from postprocess.formats.stimuli import parse_stimuli, render_stimuli
from postprocess.formats.tabular import TableError
from postprocess.scoring.figures import score_predictions
from postprocess.scoring.gold import load_parts
from postprocess.scoring.inference import score_interval
from postprocess.scoring.metrics import GWSC, SIMILARITIES, Metric
from postprocess.scoring.predictions import read_predictions
from tests.postprocess.release.releases import numbered_row
from tests.postprocess.scoring.published import COSIMLEX, EXACT, needs_shared, write_gold

BASELINES = {"constant": predict_constant, "distance": predict_distance, "form": predict_form}
PAIRS = parse_stimuli(render_stimuli([numbered_row(n) for n in (1, 2, 3)]).encode()).pairs
FIGURES = {  # score, interval, and for subtask 2 the two correlations
    ("constant", "fi", 1): (0,),
    ("constant", "sl", 2): (0,),
    ("form", "fi", 1): (0.149936, -0.276108, 0.526733),
    ("form", "fi", 2): (0, 0.042948, -0.033507),
    ("form", "sl", 1): (0.417654, 0.187018, 0.604652),
    ("form", "sl", 2): (0.168953, 0.015364, 0.314753),
    ("distance", "fi", 1): (0.357440, -0.014599, 0.642544),
    ("distance", "fi", 2): (0.091113, 0, 0.311249, 0.100760, 0.083152),
    ("distance", "sl", 1): (0.122496, -0.063610, 0.300368),
    ("distance", "sl", 2): (0.061020, 0, 0.202292, 0.047148, 0.086457),
}


@needs_shared
@pytest.mark.parametrize(("place", "expected"), FIGURES.items(), ids=str)
def test_baselines_have_their_figures(tmp_path, place, expected):
    name, language, subtask = place
    part = load_parts(write_gold(tmp_path, language))[language]
    pairs = read_pairs(COSIMLEX / f"data_{language}.tsv")

    files = render_results(BASELINES[name](pairs), language)

    data = files[f"results_subtask{subtask}_{language}.tsv"]
    read = read_predictions(data, GWSC[subtask - 1], language, len(pairs))
    found = (
        score_predictions(Metric.CHANGE, read.numbers, part.columns["change"])
        if subtask == 1
        else score_predictions(Metric.HARMONIC, read.numbers, part.find_gold(SIMILARITIES))
    )
    interval = score_interval(found, Metric.HARMONIC if subtask == 2 else Metric.CHANGE)
    correlations = () if subtask == 1 else (found.pearson, found.spearman)
    figures = (found.score, *(interval or ()), *correlations)
    assert figures[: len(expected)] == pytest.approx(expected, abs=EXACT)
    assert (interval is None) == (found.score == 0)


@needs_shared
def test_forms_are_compared_by_their_letters():
    pairs = read_pairs(COSIMLEX / "data_sl.tsv")

    found = predict_form(pairs)

    assert found.shape == (111, 2)
    assert (found >= 0).all()
    assert (found < 1).all()


@pytest.mark.parametrize(
    ("first", "second", "share"),
    [
        ("ice", "ice", 1),
        ("ICE", "ice", 1),
        ("c\u030ce", "\u010ce", 1),  # composed and decomposed letters
        ("aaa", "aa", 6 / 7),  # ^a, one aa of two, a$
        ("a", "b", 0),
        ("okna", "vrata", 2 / 11),  # a$
    ],
)
def test_bigrams_are_multisets_of_caseless_letters(first, second, share):
    assert compare_forms(first, second) == compare_forms(second, first) == share


def test_a_change_is_the_difference_of_the_similarities():
    files = render_results(np.array([[0.25, 0.5], [1, -2], [1e-7, 0]]), "sl")

    assert files == {
        "results_subtask1_sl.tsv": b"change\n0.25\n-3\n-1e-07\n",
        "results_subtask2_sl.tsv": b"sim_context1\tsim_context2\n0.25\t0.5\n1\t-2\n1e-07\t0\n",
    }


VECTORS = """3 2
Alpha1 1 0
beta1 1 1
alpha2 0 0
beta2 1 1
alpha3 2 0
beta3 0 3
"""


@pytest.mark.parametrize("name", ["vectors.txt", "vectors.txt.gz"])
def test_static_vectors_predict_no_change_and_a_mean_for_missing_words(tmp_path, name):
    content = VECTORS.replace("beta3", "gamma").encode()
    path = tmp_path / name
    path.write_bytes(gzip.compress(content) if name.endswith("gz") else content)

    found = predict_static(PAIRS, path)

    cosine = 1 / np.sqrt(2)  # the second pair has a vector of zeros, the third lacks a word
    assert found.similarities.tolist() == [[pytest.approx(cosine)] * 2] * 3
    assert found.missing == ["beta3"]


def test_the_spelling_of_a_word_goes_before_other_letter_case(tmp_path):
    path = tmp_path / "vectors.txt"
    path.write_text("ALPHA1 0 1\nalpha1 1 0\nalpha1 0 1\nbeta1 1 0\n", encoding="utf-8")

    assert predict_static(PAIRS[:1], path).similarities.tolist() == [[1, 1]]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("3 2\nice 1 0\n", "has none of the 3 pairs"),
        ("alpha1 1 x\n", "line 1: not a vector"),
        ("alpha1 1 nan\n", "line 1: not a vector"),
        ("alpha1\n", "line 1: not a vector"),
        ("alpha1 1 0\nbeta1 1\n", "vectors of 1 and 2 numbers"),
    ],
)
def test_vectors_that_cannot_be_used_are_explained(tmp_path, text, message):
    path = tmp_path / "vectors.txt"
    path.write_text(text, encoding="utf-8")

    with pytest.raises(BaselineError, match=message):
        predict_static(PAIRS, path)


def test_scores_of_word_pairs_are_found_in_either_order():
    data = b"word2\tword1\tother\tscore\nAlpha1\tbeta1\tx\t8\nalpha2\tbeta2\tx\t2\n"

    found = predict_scores(PAIRS, data)

    assert found.similarities.tolist() == [[8, 8], [2, 2], [5, 5]]
    assert found.missing == ["alpha3 – beta3"]


@pytest.mark.parametrize(
    ("data", "error", "message"),
    [
        (b"word1\tword2\tscore\nice\tsun\t1\n", BaselineError, "has none of the 3 pairs"),
        (b"word1\tword2\tscore\nalpha1\tbeta1\tinf\n", TableError, 'score: "inf" is not a number'),
        (b"word1\tword2\nalpha1\tbeta1\n", TableError, "missing column: score"),
    ],
)
def test_scores_that_cannot_be_used_are_explained(data, error, message):
    with pytest.raises(error, match=message):
        predict_scores(PAIRS, data)


def test_similarities_of_another_program_are_sorted_into_contexts():
    rows = [f"{pair}\t{context}\t{pair}.{context}" for context in (2, 1) for pair in (3, 1, 2)]
    data = "\n".join(["pair\tcontext\tscore", *rows, ""]).encode()

    assert import_similarities(data, 3).tolist() == [[1.1, 1.2], [2.1, 2.2], [3.1, 3.2]]


@pytest.mark.parametrize(
    ("rows", "messages"),
    [
        (["4\t1\t0", "1\t3\t0", "²\t1\t0", "1\t1\tx"],
         ['row 1 (line 2), pair: "4" is not a pair; write a number from 1 to 3',
          'row 2 (line 3), context: "3" is not a context; write 1 or 2',
          'row 3 (line 4), pair: "²" is not a pair; write a number from 1 to 3',
          'row 4 (line 5), score: "x" is not a number; write it as 0.118']),
        (["1\t1\t0", "1\t1\t0"], ["row 2 (line 3): pair 1 has two scores in context 1; keep one"]),
        (["1\t1\t0"],
         ["5 contexts have no score, the first is context 2 of pair 1; add a row for each"]),
    ],
)  # fmt: skip
def test_an_incomplete_import_is_explained(rows, messages):
    data = "\n".join(["pair\tcontext\tscore", *rows, ""]).encode()

    with pytest.raises(TableError) as refused:
        import_similarities(data, 3)

    assert str(refused.value).split("\n") == messages


def test_the_language_is_in_the_name_of_the_data_or_given(tmp_path):
    assert find_language(tmp_path / "data_sl.tsv") == "sl"
    assert find_language(tmp_path / "data_sl.tsv", "hr") == "hr"
    with pytest.raises(BaselineError, match="add --language"):
        find_language(tmp_path / "pairs.tsv")
