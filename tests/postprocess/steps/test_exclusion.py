import pandas as pd
import pytest

from postprocess.steps.exclusion import count_failed, count_left_out, find_excluded
from postprocess.table.ratings import MARKS, RatingsError, Scale, check_ratings


def marked(*marks):
    ratings = {
        "pair": range(1, len(marks) + 1),
        "context": 1,
        "annotator": "A",
        "rating": 3,
        "group": "1",
        "mark": list(marks),
    }
    return check_ratings(pd.DataFrame(ratings), Scale())


def checks(*rows):
    return pd.DataFrame(rows, columns=["group", "annotator", "rating", "lowest", "highest"])


def test_find_excluded_names_the_reason_of_every_mark():
    assert find_excluded(marked("", *MARKS)).tolist() == [
        "",
        "cannot judge",
        "questionnaire unfinished",
        "withdrawn",
        "round replaced",
        "engagement rejected",
    ]


def test_find_excluded_names_no_engagement_for_pairs_with_one_context():
    excluded = find_excluded(marked("", "rejected"), n_contexts=1)

    assert excluded.tolist() == ["", "rejected in review"]


def test_find_excluded_keeps_rejected_engagement_only():
    excluded = find_excluded(marked("rejected", "withdrawn"), rejected_engagement=False)

    assert excluded.tolist() == ["", "withdrawn"]


def test_find_excluded_without_marks_leaves_out_no_rating():
    assert find_excluded(marked("", "").drop(columns="mark")).tolist() == ["", ""]


def test_find_excluded_leaves_out_annotators_with_too_many_failed_checkpoints():
    answers = checks(("1", "A", 6, 0, 1), ("1", "A", 5, 0, 1), ("2", "A", 0, 0, 1))

    def excluded(most):
        return find_excluded(marked(""), most_failed_checkpoints=most, checks=answers).tolist()

    assert [excluded(None), excluded(0), excluded(1), excluded(2)] == [
        [""],
        ["failed checkpoint"],
        ["failed checkpoint"],
        [""],
    ]


def test_find_excluded_prefers_the_mark_to_failed_checkpoints():
    answers = checks(("1", "A", 6, 0, 1))

    excluded = find_excluded(marked("", "withdrawn"), most_failed_checkpoints=0, checks=answers)

    assert excluded.tolist() == ["failed checkpoint", "withdrawn"]


def test_count_failed_passes_both_ends_and_fails_a_missing_answer():
    answers = checks(
        ("1", "A", 0, 0, 1), ("1", "A", 1, 0, 1), ("1", "A", 1.5, 0, 1), ("1", "A", None, 0, 1)
    )

    assert count_failed(answers).to_dict() == {("1", "A"): 2}


def test_count_failed_refuses_answers_without_their_bounds():
    with pytest.raises(RatingsError, match="no column lowest, highest"):
        count_failed(checks(("1", "A", 0, 0, 1))[["group", "annotator", "rating"]])
    with pytest.raises(RatingsError, match="without a lowest or highest rating: row 2"):
        count_failed(checks(("1", "A", 0, 0, 1), ("1", "A", 0, "low", 1)))


def test_count_left_out_counts_each_annotator_once():
    """A is used in one of two groups; B and C are excluded, each for two reasons."""
    reasons = ["withdrawn", "withdrawn", "", "unfinished", "replaced", "replaced", "replaced",
               "unfinished"]  # fmt: skip
    categories = ["", "unfinished", "withdrawn", "replaced", "never"]
    ledger = pd.DataFrame(
        {"annotator": list("AAABBBCC"), "reason": pd.Categorical(reasons, categories)}
    )

    assert count_left_out(ledger) == {"unfinished": 1, "replaced": 1}
    assert count_left_out(ledger[:3]) == {}
