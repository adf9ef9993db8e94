import numpy as np
import pytest

from postprocess.auditing.examining import audit_dataset
from tests.postprocess.auditing.corrupting import (
    DATA,
    DATASET,
    GOLD,
    TEN,
    append,
    get,
    get_row,
    places,
    put,
    reasons,
    write,
)
from tests.postprocess.published_format import build


def test_a_valid_dataset_has_no_findings(dataset_folder):
    assert places(dataset_folder) == places(dataset_folder, TEN) == []


def test_the_summary_lists_the_checks(dataset_folder):
    (kit,) = audit_dataset(dataset_folder).kits

    assert dict(kit.summary) == {
        "pairs": "12",
        "ratings per context": "probably 10 (10 fits 24 contexts)",
        "mean and deviation": "possible in 24 of 24 contexts, with up to 40 ratings on 0–6",
        "p-value": "12 of 12 possible, one-sided",
        "targets": "marked once, as in their columns, in 12 of 12 rows",
        "data/data_xx.tsv": "12 of 12 rows agree",
        "gold/gold_xx.tsv": "12 of 12 rows agree",
        "repeated items": "none in 12 rows",
    }


@pytest.mark.parametrize("by", [0.01, -0.01])
def test_a_changed_mean_is_found(dataset_folder, by):
    wrong = f"{float(get(dataset_folder / DATASET, 5, 'sim2')) + by:.3g}"
    put(dataset_folder / DATASET, 5, sim2=wrong)

    assert places(dataset_folder, TEN) == [(DATASET, 5, "sim2"), (GOLD, 5, "sim_context2")]
    assert set(places(dataset_folder)) >= {(GOLD, 5, "sim_context2")}


def test_a_changed_deviation_is_found(dataset_folder):
    wrong = f"{float(get(dataset_folder / DATASET, 3, 'stdev1')) + 0.02:.3g}"
    put(dataset_folder / DATASET, 3, stdev1=wrong)

    assert places(dataset_folder, TEN) == [(DATASET, 3, "stdev1")]


@pytest.mark.parametrize(
    ("file", "column", "wrong"), [(DATASET, "pvalue", "0.6"), (GOLD, "change", "?")]
)
def test_an_impossible_figure_is_found(dataset_folder, file, column, wrong):
    put(dataset_folder / file, 12, **{column: wrong})

    assert places(dataset_folder) == [(file, 12, column)]


@pytest.mark.parametrize(
    ("n_low", "n_high", "written"),
    [
        (20, 15, "3.1E-09"), (9, 8, "0.00004"), (9, 8, "4.00E-05"), (9, 8, "4E-05"),
    ],
)  # fmt: skip
def test_a_small_pvalue_is_read_in_every_notation(tmp_path, n_low, n_high, written):
    folder = write(build(([0] * n_low, [6] * n_high)).files, tmp_path)
    put(folder / DATASET, 1, pvalue=written)

    assert places(folder) == []


def test_an_invalid_number_is_found(dataset_folder):
    put(dataset_folder / DATASET, 2, pvalue="high")

    assert places(dataset_folder) == [(DATASET, 2, "pvalue")]
    assert "not checked" in dict(audit_dataset(dataset_folder).kits[0].summary)["scores"]


def test_an_infinite_number_is_found(dataset_folder):
    put(dataset_folder / DATASET, 2, sim1="1E999")

    assert (DATASET, 2, "sim1") in places(dataset_folder)


@pytest.mark.parametrize("column", ["sim_context1", "change"])
def test_changed_gold_is_found(dataset_folder, column):
    wrong = f"{float(get(dataset_folder / GOLD, 4, column)) + 0.01:.3g}"
    put(dataset_folder / GOLD, 4, **{column: wrong})

    assert (GOLD, 4, column) in places(dataset_folder)


def test_a_target_that_is_marked_twice_is_found(dataset_folder):
    text = get(dataset_folder / DATASET, 6, "context1")
    for name in (DATASET, DATA):
        put(dataset_folder / name, 6, context1=text.replace("It was", "<strong>bank6</strong> was"))

    assert places(dataset_folder) == [(DATASET, 6, "context1")]
    assert "occurs twice" in reasons(dataset_folder)


def test_an_unmarked_target_is_found_in_its_file(dataset_folder):
    text = get(dataset_folder / DATA, 7, "context2")
    put(dataset_folder / DATA, 7, context2=text.replace("<strong>banks7</strong>", "banks7"))

    assert places(dataset_folder) == [(DATA, 7, "context2"), (DATA, 7, "context2")]
    assert "not marked" in reasons(dataset_folder)


def test_a_different_form_is_found(dataset_folder):
    put(dataset_folder / DATASET, 8, word1_context2="Banks8")

    assert places(dataset_folder) == [(DATASET, 8, "context2"), (DATA, 8, "word1_context2")]


def test_swapped_contexts_are_found(dataset_folder):
    first, second = (get(dataset_folder / DATA, 9, f"context{number}") for number in (1, 2))
    forms = {
        f"word{w}_context{c}": get(dataset_folder / DATA, 9, f"word{w}_context{3 - c}")
        for w in (1, 2)
        for c in (1, 2)
    }
    put(dataset_folder / DATA, 9, context1=second, context2=first, **forms)

    assert places(dataset_folder) == [(DATA, 9, "context1, context2")]
    assert "the two contexts are exchanged" in reasons(dataset_folder)


def test_too_few_ratings_for_the_dataset_are_found(dataset_folder):
    lines = [f"{pair},{c},A{n},3" for pair in range(1, 13) for c in (1, 2) for n in range(10)]
    ratings = dataset_folder / "ratings_xx.csv"
    ratings.write_text("\n".join(["pair,context,annotator,rating", *lines]) + "\n")
    assert places(dataset_folder, TEN) == []

    ratings.write_text("\n".join(["pair,context,annotator,rating", *lines[1:]]) + "\n")

    assert places(dataset_folder, TEN) == [(DATASET, 1, "sim1, stdev1")]


def test_a_duplicate_rating_is_found_and_counted_once(dataset_folder):
    lines = [f"{pair},{c},A{n},3" for pair in range(1, 13) for c in (1, 2) for n in range(10)]
    ratings = dataset_folder / "ratings_xx.csv"
    doubled = [*lines[1:], lines[5]]
    ratings.write_text("\n".join(["pair,context,annotator,rating", *doubled]) + "\n")

    assert places(dataset_folder, TEN) == [
        ("ratings_xx.csv", 240, "annotator"), (DATASET, 1, "sim1, stdev1")
    ]  # fmt: skip
    assert "annotator A5 already rates context 1 of pair 1 in row 5" in reasons(dataset_folder, TEN)


def test_a_duplicate_row_is_an_error(dataset_folder):
    for name in (DATASET, DATA, GOLD):
        append(dataset_folder / name, get_row(dataset_folder / name, 4))

    (one,) = audit_dataset(dataset_folder).findings

    assert (one.file, one.finding.row, one.is_error) == (DATASET, 13, True)
    assert "as row 4, with the same scores: a repeated row" in one.finding.reason


def test_a_repeated_item_with_other_scores_is_a_warning(dataset_folder):
    sims = [get(dataset_folder / DATASET, row, "sim1") for row in (3, 5)]
    texts = ("word1", "word2", "context1", "context2")
    forms = [f"word{word}_context{context}" for word in (1, 2) for context in (1, 2)]
    for name in (DATASET, DATA):
        put(
            dataset_folder / name,
            5,
            **{c: get(dataset_folder / name, 3, c) for c in (*texts, *forms)},
        )

    (one,) = audit_dataset(dataset_folder).findings

    assert (one.file, one.finding.row, one.is_error) == (DATASET, 5, False)
    assert "the same words and contexts as row 3, with other scores" in one.finding.reason
    assert all(sim in one.finding.reason for sim in sims)


def test_a_duplicate_row_of_the_stimuli_is_found(dataset_folder):
    append(dataset_folder / DATA, get_row(dataset_folder / DATA, 2))

    assert places(dataset_folder) == [(DATA, None, None), (DATA, 13, None)]
    assert "the same words and contexts as row 2" in reasons(dataset_folder)


def test_a_duplicate_row_without_a_dataset_is_an_error(dataset_folder):
    (dataset_folder / DATASET).unlink()
    append(dataset_folder / DATA, get_row(dataset_folder / DATA, 2))
    append(dataset_folder / GOLD, get_row(dataset_folder / GOLD, 2))

    assert places(dataset_folder) == [(DATA, 13, None)]
    assert "with the same scores" in reasons(dataset_folder)


def test_unreadable_ratings_are_found(dataset_folder):
    (dataset_folder / "ratings_xx.csv").write_text("pair,rating\n1,2\n")

    assert places(dataset_folder) == [("ratings_xx.csv", None, None)]


def test_stimuli_and_gold_without_a_dataset_are_checked(dataset_folder):
    (dataset_folder / DATASET).unlink()
    put(dataset_folder / DATA, 3, word1_context1="other")
    put(dataset_folder / GOLD, 5, change="9.99")

    assert places(dataset_folder) == [(DATA, 3, "context1"), (GOLD, 5, "change")]


def test_annotators_with_equal_ratings_are_a_warning(dataset_folder):
    rng = np.random.default_rng(1)
    rated = {(p, c, n): rng.integers(7) for p in range(1, 13) for c in (1, 2) for n in range(10)}
    rated |= {(p, c, 7): rating for (p, c, n), rating in rated.items() if n == 4}
    lines = [f"{p},{c},A{n},{rating}," for (p, c, n), rating in rated.items()]
    lines += ["1,1,A10,,cannot judge", "1,2,A10,6,withdrawn"]
    text = "\n".join(["pair,context,annotator,rating,mark", *lines]) + "\n"
    (dataset_folder / "ratings_xx.csv").write_text(text)

    audit = audit_dataset(dataset_folder, assumptions=TEN)

    assert places(dataset_folder, TEN) == [("ratings_xx.csv", None, "annotator")]
    assert "A4 and A7 (24 of 24 texts; by chance " in reasons(dataset_folder, TEN)
    assert audit.n_errors == 0
