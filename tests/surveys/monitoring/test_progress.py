from datetime import timedelta

import pytest
from django.utils import timezone

from surveys.models import Assignment, Review, Round, VerdictKind
from surveys.monitoring.progress import (
    Tally,
    count_block_progress,
    count_questionnaire_progress,
    count_study_progress,
    forecast,
    median_minutes,
    preview_repeat,
)
from surveys.privacy.erasure import withdraw_annotator
from surveys.review.queue import file_answers
from surveys.review.verdicts import give_verdict, undo_verdict
from surveys.study.blocks.allocation import repeat_block
from tests.factories.answers import answer, finish_at, finished_study, hours_ago
from tests.factories.reviews import reviewer
from tests.factories.studies import make_study, start

pytestmark = pytest.mark.every_database  # aggregated

NOW = timezone.now()


def current_rounds(study):
    rounds = Round.objects.filter(block__study=study, is_current=True)
    return list(rounds.select_related("block").order_by("block__number"))


def counts(tally):
    return tally.wanted, tally.live, tally.finished, tally.usable


def test_count_study_progress_counts_wanted_live_finished_and_usable(db):
    study = finished_study(3)
    start(study)
    withdraw_annotator(Assignment.objects.submitted().first().annotator)

    tally = count_study_progress(study)
    assert (*counts(tally), tally.withdrawn) == (20, 1, 2, 2, 1)


def test_count_block_progress_counts_questionnaires_in_the_current_round(db):
    study = finished_study(3, n_pairs=2)
    (round_,) = current_rounds(study)
    assert [counts(p.tally) for p in count_block_progress(study, [round_])[0].questionnaires] == [
        (10, 0, 2, 2),
        (10, 0, 1, 1),
    ]

    repeat_block(round_.block, reason="careless", author="ana")

    (block,) = count_block_progress(study, current_rounds(study))
    assert counts(block.tally) == (20, 0, 0, 0)
    assert block.minutes is None


def test_an_assignment_set_aside_is_usable_once_the_verdict_is_undone(db):
    study = finished_study(3, n_pairs=2)
    file_answers(study)
    judge = reviewer(study)
    first, second, _ = Review.objects.assignments(study).order_by("pk")
    give_verdict(first, judge, VerdictKind.UNUSED, "")
    give_verdict(second, judge, VerdictKind.GOOD, "")
    give_verdict(Review.objects.answers(study).last(), judge, VerdictKind.REJECTED, "copied")

    tally = count_study_progress(study)
    (block,) = count_block_progress(study, current_rounds(study))

    assert (*counts(tally), tally.set_aside, tally.missing) == (20, 0, 3, 2, 1, 17)
    assert (block.tally.usable, block.tally.set_aside) == (2, 1)
    assert sum(one.usable for one in count_questionnaire_progress(study)) == 2
    cost = preview_repeat(study, block.round)
    assert (cost.n_leaving, cost.n_set_aside) == (2, 1)
    undo_verdict(first, judge)
    assert (count_study_progress(study).usable, count_study_progress(study).set_aside) == (3, 0)


@pytest.mark.parametrize("n_pairs", [2, 6])
def test_count_block_progress_needs_three_queries(n_pairs, db, django_assert_num_queries):
    study = make_study(n_pairs, block_size=2)
    rounds = current_rounds(study)

    with django_assert_num_queries(3):
        assert len(count_block_progress(study, rounds)) == n_pairs // 2


def test_minutes_are_the_median_from_start_to_end(db):
    study = finished_study(3, n_pairs=2)
    for assignment, minutes in zip(Assignment.objects.order_by("pk"), (2, 9, 40), strict=True):
        finish_at(assignment, hours_ago(1), minutes)

    (block,) = count_block_progress(study, current_rounds(study))

    assert median_minutes(study) == pytest.approx(9, abs=0.01)
    assert block.minutes == pytest.approx(9, abs=0.01)
    assert [p.minutes for p in block.questionnaires] == pytest.approx([21, 9], abs=0.01)


def test_median_minutes_without_assignments_is_none(db):
    assert median_minutes(make_study(1)) is None


def test_forecast_extrapolates_the_pace_of_the_last_week():
    tally = Tally(100, usable=70, missing=30, recent=14, first_at=NOW - timedelta(days=30))

    predicted = forecast(tally, NOW)

    assert predicted.a_day == pytest.approx(2)
    assert predicted.at == NOW + timedelta(days=15)
    # (√14 ± 0.98)² = 7.63 and 22.29 in a week
    assert [
        (at - NOW) / timedelta(days=1) for at in (predicted.earliest, predicted.latest)
    ] == pytest.approx([30 * 7 / 22.294, 30 * 7 / 7.6266], rel=1e-3)


def test_forecast_of_a_young_study_starts_at_its_first_assignment():
    tally = Tally(100, usable=10, missing=90, recent=10, first_at=NOW - timedelta(days=2))

    assert forecast(tally, NOW).a_day == pytest.approx(5)


@pytest.mark.parametrize(
    ("tally", "expected"),
    [
        (Tally(100, usable=4, missing=96, recent=4, first_at=NOW), (False, False)),
        (Tally(10, usable=10, recent=10, first_at=NOW), (True, False)),
        (
            Tally(10**7, usable=5, missing=10**7, recent=5, first_at=NOW - timedelta(days=9)),
            (False, True),
        ),
    ],
)
def test_forecast_has_no_date_if_too_few_complete_or_too_far(tally, expected):
    predicted = forecast(tally, NOW)

    assert (predicted.at, predicted.is_done, predicted.is_far) == (None, *expected)


def test_count_study_progress_counts_recent_assignments(db):
    study = finished_study(3, n_pairs=2)
    finish_at(Assignment.objects.first(), hours_ago(24 * 8))
    answer(start(study))

    tally = count_study_progress(study)

    assert (tally.usable, tally.recent) == (4, 3)
    assert tally.first_at < hours_ago(24 * 7.9)
