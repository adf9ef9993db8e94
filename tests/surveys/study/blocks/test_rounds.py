"""Repeated blocks: old answers are kept and left out, and no annotator sees a block twice."""

from datetime import timedelta

import pytest
from django.db import IntegrityError, transaction
from django.db.models import F

from surveys.errors import NoPlaceLeft, RepeatRefused
from surveys.models import Assignment, AuditEntry, Block, Place, Response, Round
from surveys.monitoring.progress import preview_repeat
from surveys.participation.assignments import (
    has_place_left,
    list_places_left,
    start_another_assignment,
    start_assignment,
)
from surveys.participation.withdrawal import return_assignment
from surveys.results.ratings_table import list_shortfalls
from surveys.study.blocks.allocation import repeat_block, undo_repeat
from surveys.study.design import configure_study
from surveys.study.planning.durations import introduction_seconds
from tests.factories.answers import finished_study
from tests.factories.studies import (
    count_places_left,
    counted_ratings,
    finish,
    make_study,
    rate_due,
    start,
    stored,
)

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.every_database,  # a constraint with a condition
    pytest.mark.study(ratings_per_context=1),
]


@pytest.fixture
def block(study) -> Block:
    return study.blocks.get()


def repeat(block: Block) -> Round:
    return repeat_block(block, reason="ratings all alike", author="researcher")


def let_lapse(assignment: Assignment) -> None:
    span = timedelta(hours=25)
    Assignment.objects.filter(pk=assignment.pk).update(active_at=F("active_at") - span)
    Response.objects.filter(assignment=assignment).update(
        engaged_at=F("engaged_at") - span, rated_at=F("rated_at") - span
    )


def test_repeat_block_opens_a_round_with_new_places(study, block):
    start(study)

    repeated = repeat_block(block, reason="  ratings all alike \n", author="researcher")

    assert stored(repeated, "number", "is_current", "reason", "opened_by") == (
        2, True, "ratings all alike", "researcher",
    )  # fmt: skip
    places = Place.objects.order_by("pk").values_list(
        "round__number", "questionnaire__letter", "number", "is_open"
    )
    assert list(places) == [
        (1, "A", 1, False), (1, "B", 1, False), (2, "A", 1, True), (2, "B", 1, True),
    ]  # fmt: skip
    assert count_places_left(study) == 2


def test_repeat_block_asks_for_as_many_ratings_as_are_wanted_now(study, block):
    start(study)
    configure_study(study, ratings_per_context=3)

    repeat(block)

    assert sorted(list_places_left(study).values()) == [3, 3]


def test_old_answers_are_kept_and_leave_the_dataset(study, block):
    old = start(study)
    finish(old, rating=1)
    before = list(old.responses.values())

    repeat(block)
    new = start(study)
    finish(new, rating=5)

    assert (old.questionnaire, new.round.number) == (new.questionnaire, 2)
    assert list(old.responses.values()) == before
    assert stored(old, "state", "round__is_current") == ("submitted", False)
    assert counted_ratings(study)["rating"].tolist() == [5, 5]
    assert "questionnaires of earlier rounds of repeated blocks, left out: 1" in (
        list_shortfalls(study)
    )


def test_repeat_block_leaves_other_blocks_alone():
    study = make_study(4, block_size=2, ratings_per_context=1)
    assignments = [start(study) for _ in range(4)]
    for assignment in assignments:
        finish(assignment)

    repeat(study.blocks.get(number=1))

    assert sorted(counted_ratings(study)["group"].unique()) == ["2A", "2B"]
    assert count_places_left(study) == 2


def test_annotators_who_saw_the_block_never_get_it_again(study, block):
    configure_study(study, allows_more_blocks=True)
    seen = start(study)
    finish(seen)
    repeat(block)

    with pytest.raises(NoPlaceLeft):
        start_another_assignment(seen)

    assert start_assignment(seen.annotator.invitation) == seen
    assert count_places_left(study) == 2


def test_assignments_in_progress_may_finish_outside_the_dataset(study, block):
    old = start(study)
    rate_due(old, 1)
    repeat(block)

    rate_due(old, 1)

    assert stored(old, "state", "is_over_quota", "round__number") == ("submitted", False, 1)
    assert len(counted_ratings(study)) == 0
    assert count_places_left(study) == 2


def test_a_late_annotator_of_an_old_round_takes_no_place_of_the_new_one(study, block):
    old = start(study)
    rate_due(old, 1)
    repeat(block)
    let_lapse(old)
    return_assignment(start(study), "tried")  # frees the lapsed place, and its own

    rate_due(old, 1)

    assert stored(old, "state", "is_over_quota", "round__number") == ("submitted", True, 1)
    assert count_places_left(study) == 2


def test_a_freed_place_of_an_old_round_is_not_given_again(study, block):
    old, other = start(study), start(study)
    repeat(block)

    return_assignment(old, "tried")
    let_lapse(other)

    assert count_places_left(study) == 2
    assert [start(study).round.number for _ in range(2)] == [2, 2]
    with pytest.raises(NoPlaceLeft):
        start(study)
    assert Place.objects.filter(round__number=1, assignment__isnull=False).count() == 0


def test_a_lapsed_place_of_an_old_round_is_not_counted_as_free(study, block):
    old = start(study)
    repeat(block)
    start(study), start(study)

    let_lapse(old)

    assert count_places_left(study) == 0
    assert not has_place_left(study)


def test_repeat_block_twice_makes_a_third_round(study, block):
    start(study)
    repeat(block)
    start(study)

    repeat(block)

    rounds = block.rounds.values_list("number", "is_current")
    assert list(rounds) == [(1, False), (2, False), (3, True)]
    assert count_places_left(study) == 2


@pytest.mark.parametrize("reason", ["", " \n"])
def test_repeat_block_refuses_without_a_reason(study, block, reason):
    start(study)

    with pytest.raises(RepeatRefused, match="Give the reason for the repeat"):
        repeat_block(block, reason=reason, author="researcher")

    assert_nothing_is_repeated(block)


def test_repeat_block_refuses_a_round_without_assignments(study, block):
    with pytest.raises(RepeatRefused, match="There is no assignment in round 1"):
        repeat(block)

    assert_nothing_is_repeated(block)


def assert_nothing_is_repeated(block: Block) -> None:
    assert list(block.rounds.values_list("number", "is_current")) == [(1, True)]
    assert Place.objects.filter(is_open=True).count() == Place.objects.count() == 2


def test_database_refuses_a_second_current_round(study, block):
    with pytest.raises(IntegrityError), transaction.atomic():
        Round.objects.create(block=block, number=2, reason="again")


def test_preview_repeat_estimates_the_effort():
    study = finished_study(4)
    start(study)
    round_ = Round.objects.select_related("block").get()

    cost = preview_repeat(study, round_)

    assert (cost.n_new, cost.n_leaving, cost.n_under_way) == (20, 4, 1)
    assert cost.is_measured
    assert Round.objects.get() == round_


@pytest.mark.parametrize("block_size", [4, None])
def test_preview_repeat_without_answers_uses_the_settings(block_size):
    study = configure_study(make_study(4, block_size=block_size), seconds_per_item=30)

    cost = preview_repeat(study, Round.objects.select_related("block").get())

    minutes = 2 + introduction_seconds(study) / 60
    assert (cost.is_measured, cost.minutes_each) == (False, minutes)
    assert cost.hours == pytest.approx(4 * minutes / 60)


def test_repeat_block_is_recorded():
    study = finished_study(1)

    repeat_block(Block.objects.get(), reason="careless", author="ana")

    entry = AuditEntry.objects.get(study=study, action="block.repeated")
    assert (entry.subject, entry.details) == ("block 1", {"round": 2, "reason": "careless"})


def test_repeat_block_refuses_a_round_that_is_over():
    finished_study(1)
    block = Block.objects.get()
    repeat_block(block, reason="careless", author="ana", round_number=1)

    with pytest.raises(RepeatRefused, match="in round 2 by now"):
        repeat_block(block, reason="careless", author="ana", round_number=1)

    assert block.rounds.count() == 2


def test_a_repeat_is_undone_while_nobody_has_begun(study, block):
    first = start(study)
    repeat(block)

    undo_repeat(block)

    assert block.rounds.get().is_current
    assert Place.objects.filter(round=block.rounds.get(), is_open=True).count() == 2
    assert count_places_left(study) == 1
    finish(first)
    assert AuditEntry.objects.latest("pk").action == "block.repeat_undone"


def test_a_repeat_in_which_somebody_has_begun_stays(study, block):
    with pytest.raises(RepeatRefused, match="was not repeated"):
        undo_repeat(block)
    finish(start(study))
    repeat(block)
    start(study)

    with pytest.raises(RepeatRefused, match="would be lost"):
        undo_repeat(block)

    assert block.rounds.count() == 2
