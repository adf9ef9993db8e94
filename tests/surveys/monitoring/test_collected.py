from datetime import UTC, datetime, timedelta

import pytest
from django.utils import timezone

from surveys.models import Assignment, Invitation, Response
from surveys.monitoring.collected import count_collected
from surveys.monitoring.progress import count_round_progress, count_study_progress
from surveys.privacy.erasure import withdraw_annotator
from surveys.study.blocks.allocation import repeat_block
from surveys.study.design import configure_study
from surveys.study.stimuli.checkpoints import import_checkpoints
from tests.factories import checkpoints as checkpoint_rows
from tests.factories.answers import answer, finished_study
from tests.factories.studies import make_study, start

pytestmark = pytest.mark.every_database  # aggregated, and instants as texts

NOW = datetime(2026, 3, 12, 17, 45, tzinfo=UTC)


def collected(study, now=NOW):
    return count_collected(study, count_round_progress(study), now)


def rate_at(assignment, at):
    Assignment.objects.filter(pk=assignment.pk).update(submitted_at=at)
    Response.objects.filter(assignment=assignment).update(rated_at=at)


def make_scripted(assignment):
    Invitation.objects.filter(annotator=assignment.annotator).update(is_rehearsal=True)


def finish_three(at):
    """Return a study of two texts in which three have finished at these times before `NOW`."""
    study = make_study(2, ratings_per_context=4)
    assignments = [answer(start(study), [0, number]) for number in range(3)]
    for assignment, ago in zip(assignments, at, strict=True):
        rate_at(assignment, NOW - ago)
    return study, assignments


def heights(found):
    return [(column.start, column.n) for column in found.columns]


def test_round_progress_adds_up_to_that_of_the_study(db):
    study = finished_study(5, n_pairs=4, block_size=2)
    repeat_block(study.blocks.first(), reason="careless", author="ana")

    (wanted, *rest) = count_round_progress(study).values()

    assert wanted.wanted + rest[0].wanted == count_study_progress(study).wanted
    assert wanted.finished + rest[0].finished == count_study_progress(study).finished


def test_answers_are_counted_by_the_hour_at_first(db):
    hour = timedelta(hours=1)
    study, _ = finish_three([3 * hour, 2 * hour, 2 * hour])

    found = collected(study)

    begin = datetime(2026, 3, 12, 14, tzinfo=UTC)
    assert found.unit == "hour"
    assert heights(found) == [
        (begin, 2), (begin + hour, 4), (begin + 2 * hour, 0), (begin + 3 * hour, 0),
    ]  # fmt: skip
    assert (found.most, found.n) == (4, 6)
    assert [(c.top, c.height) for c in found.columns[:2]] == [(50.0, 50.0), (0.0, 100.0)]


@pytest.mark.parametrize(("days", "unit", "n"), [(3, "day", 4), (61, "day", 62), (62, "week", 9)])
def test_answers_are_counted_by_day_or_week_afterwards(days, unit, n, db):
    study, _ = finish_three([timedelta(days=days), timedelta(days=1), timedelta(0)])

    found = collected(study)

    assert (found.unit, len(found.columns)) == (unit, n)
    assert sum(column.n for column in found.columns) == found.n == 6


def test_columns_end_with_the_last_answer_when_all_is_collected(db):
    study, _ = finish_three([timedelta(days=9), timedelta(days=8), timedelta(days=7)])
    assert len(collected(study).columns) == 10

    study = configure_study(
        study, ratings_per_context=1
    )  # of two questionnaires, both are finished

    assert len(collected(study).columns) == 3


def test_ratings_are_counted_by_point_of_the_scale(db):
    study, _ = finish_three([timedelta(0)] * 3)

    found = collected(study)

    assert [(bar.label, bar.amount) for bar in found.bars] == [
        ("0", 4), ("1", 1), ("2", 1), ("3", 0), ("4", 0), ("5", 0), ("6", 0),
    ]  # fmt: skip
    assert found.never == ["3", "4", "5", "6"]
    assert (found.bars[0].share_by_people, found.bars[1].share_by_people) == (100.0, 25.0)
    assert found.bars[1].percent == pytest.approx(16.7)


def test_ratings_beside_the_scale_are_listed(db):
    study, assignments = finish_three([timedelta(0)] * 3)
    first = assignments[0].responses.order_by("position").first()
    Response.objects.filter(pk=first.pk).update(rating=9)

    assert [bar.label for bar in collected(study).bars][-2:] == ["6", "9"]


def test_texts_that_could_not_be_judged_are_counted(db):
    study, assignments = finish_three([timedelta(0)] * 3)
    study = configure_study(study, allows_unjudgeable=True)
    first = assignments[0].responses.order_by("position").first()
    Response.objects.filter(pk=first.pk).update(rating=None, is_unjudgeable=True)

    found = collected(study)

    assert (found.bars[-1].label, found.bars[-1].amount, found.n) == ("cannot judge", 1, 6)


def test_scripted_answers_are_counted_apart(db):
    study, assignments = finish_three([timedelta(0)] * 3)
    make_scripted(assignments[0])

    found = collected(study)

    assert (found.n, found.n_scripted, found.is_mixed) == (6, 2, True)
    assert (found.n_assignments_scripted, found.is_scripted) == (1, False)
    assert [(bar.by_people, bar.scripted) for bar in found.bars[:3]] == [(2, 2), (1, 0), (1, 0)]
    assert [(column.by_people, column.scripted) for column in found.columns] == [(4, 2)]


def test_only_finished_assignments_of_current_rounds_count(db):
    study, assignments = finish_three([timedelta(0)] * 3)
    answer(start(study), [1])
    withdraw_annotator(assignments[0].annotator)
    assert collected(study).n == 4

    repeat_block(study.blocks.get(), reason="careless", author="ana")

    assert (collected(study).n, collected(study).columns) == (0, [])


def test_checkpoint_items_are_left_out(db):
    study = make_study(2)
    import_checkpoints(study, checkpoint_rows.file(checkpoint_rows.row()), per_assignment=1)
    answer(start(study))

    assert collected(study, timezone.now()).n == 2


def test_only_rounds_that_changed_are_counted_again(db, django_assert_num_queries):
    study = make_study(4, block_size=2)
    for _ in range(2):
        answer(start(study))
    now = timezone.now()
    collected(study, now)

    with django_assert_num_queries(1):
        assert collected(study, now).n == 4
    third = answer(start(study))
    with django_assert_num_queries(3) as asked:
        assert collected(study, now).n == 6
    rounds = asked.captured_queries[-1]["sql"]
    assert f'"round_id" IN ({third.round_id})' in rounds.replace("::bigint", "")
