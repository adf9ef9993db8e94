"""Changes to the settings of a study, and their refusal."""

from datetime import timedelta
from decimal import Decimal

import pytest
from django.utils import timezone

from surveys.errors import NoPlaceLeft, SettingRefused
from surveys.models import Assignment, Place, Study
from surveys.participation.assignments import has_place_left, list_places_left
from surveys.participation.withdrawal import return_assignment
from surveys.study.blocks.allocation import repeat_block
from surveys.study.design import configure_study
from tests.factories.studies import count_places_left, finish, make_study, start, stored

pytestmark = pytest.mark.django_db


def places(study: Study) -> list[tuple[str, int]]:
    return list(
        Place.objects.filter(study=study, is_open=True)
        .order_by("questionnaire", "number")
        .values_list("questionnaire__letter", "number")
    )


def n_live(study: Study) -> dict[str, int]:
    """Return the number of occupied places in each questionnaire."""
    held = Place.objects.filter(study=study, assignment__isnull=False)
    return {letter: held.filter(questionnaire__letter=letter).count() for letter in "AB"}


def test_configure_study_stores_the_given_settings_only(study):
    configure_study(study, title="Similar?", lease_hours=2, allows_unjudgeable=True)

    assert stored(study, "title", "lease_hours", "allows_unjudgeable", "ratings_per_context") == (
        "Similar?", 2, True, 2,
    )  # fmt: skip


def test_configure_study_gives_a_new_revision(study):
    assert configure_study(study, contact="lab@example.org").revision != study.revision


# Ratings per context


@pytest.mark.every_database
def test_more_ratings_make_more_places(study):
    start(study)

    configure_study(study, ratings_per_context=4)

    assert places(study) == [(letter, number) for letter in "AB" for number in (1, 2, 3, 4)]
    assert sorted(list_places_left(study).values()) == [3, 4]


@pytest.mark.every_database
def test_fewer_ratings_close_free_places(study):
    start(study)

    configure_study(study, ratings_per_context=1)

    assert places(study) == [("A", 1), ("B", 1)]
    assert count_places_left(study) == 1


def test_the_same_number_of_ratings_changes_no_place(study):
    before = set(Place.objects.values_list("pk", flat=True))

    configure_study(study, ratings_per_context=2)

    assert set(Place.objects.values_list("pk", flat=True)) == before


def test_fewer_ratings_keep_occupied_places(study):
    assignments = [start(study) for _ in range(4)]

    configure_study(study, ratings_per_context=1)
    for assignment in assignments:
        finish(assignment)

    assert [stored(a, "state", "is_over_quota") for a in assignments] == [("submitted", False)] * 4
    assert count_places_left(study) == 0


@pytest.mark.parametrize("returned", [0, 2], ids=["the first in A", "the second in A"])
def test_a_place_given_back_after_fewer_are_wanted_is_not_given_again(study, returned):
    assignments = [start(study) for _ in range(4)]
    configure_study(study, ratings_per_context=1)

    return_assignment(assignments[returned], "tried")

    assert n_live(study) == {"A": 1, "B": 2}
    assert count_places_left(study) == 0
    with pytest.raises(NoPlaceLeft):
        start(study)
    assert Assignment.objects.count() == 4


def test_ratings_may_be_lowered_and_raised_again_while_places_are_held(study):
    for _ in range(3):
        start(study)

    configure_study(study, ratings_per_context=1)
    configure_study(study, ratings_per_context=3)

    assert places(study) == [(letter, number) for letter in "AB" for number in (1, 2, 3)]
    assert sorted(list_places_left(study).values()) == [1, 2]


def test_more_ratings_make_no_places_in_rounds_that_are_over(study):
    start(study)
    repeat_block(study.blocks.get(), reason="ratings all alike", author="researcher")

    configure_study(study, ratings_per_context=3)

    assert Place.objects.filter(round__number=1).count() == 4
    assert Place.objects.filter(round__number=2).count() == 6


@pytest.mark.parametrize("number", [1, 2])
def test_more_ratings_reach_a_block_that_was_repeated_while_fewer_were_wanted(number):
    study = make_study(4, block_size=2, ratings_per_context=3)
    for _ in range(4):
        start(study)
    configure_study(study, ratings_per_context=1)
    repeat_block(study.blocks.get(number=number), reason="all alike", author="researcher")

    configure_study(study, ratings_per_context=3)

    assert sorted(list_places_left(study).values()) == [2, 2, 3, 3]


def test_surplus_lapsed_places_are_not_counted_as_free(study):
    assignments = [start(study) for _ in range(4)]
    for assignment in assignments[:2]:
        finish(assignment)
    configure_study(study, ratings_per_context=1)

    Assignment.objects.update(active_at=timezone.now() - timedelta(days=2))

    assert (has_place_left(study), count_places_left(study)) == (False, 0)
    with pytest.raises(NoPlaceLeft):
        start(study)


def test_changed_ratings_leave_other_studies_alone(study):
    other = make_study(2, slug="other")

    configure_study(study, ratings_per_context=5)

    assert places(other) == [(letter, number) for letter in "AB" for number in (1, 2)]


# Scale labels


def test_scale_labels_are_kept_by_the_point_as_it_is_shown(study):
    configure_study(study, scale_labels={"0.0": "not at all", "06": "the same"})

    assert stored(study, "scale_labels") == ({"0": "not at all", "6": "the same"},)


def test_scale_labels_may_be_for_any_step():
    study = make_study(1, scale_maximum=1, scale_step=Decimal("0.25"))

    configure_study(study, scale_labels={"0.50": "half"})

    assert stored(study, "scale_labels") == ({"0.5": "half"},)


@pytest.mark.parametrize(
    ("labels", "said"),
    [
        ({"7": "a"}, "is for 7, which the scale does not have"),
        ({"0.5": "a"}, "is for 0.5, which the scale does not have"),
        ({"one": "a"}, "is for one, which the scale does not have"),
        ({"NaN": "a"}, "is for NaN, which the scale does not have"),
        ({"": "a"}, "which the scale does not have"),
        ({"1": " "}, "The label for 1 must have from 1 to 60 characters"),
        ({"1": "a" * 61}, "The label for 1 must have from 1 to 60 characters"),
    ],
)
def test_invalid_scale_labels_are_refused(study, labels, said):
    refuse(study, said, scale_labels=labels)


# Refusals


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        (
            {"ratings_per_context": 0},
            "Ratings per context: Ensure this value is greater than or equal to 1",
        ),
        (
            {"ratings_per_context": 10_001},
            "Ratings per context: Ensure this value is less than or equal to 10000",
        ),
        ({"lease_hours": 0}, "Hours for which .*: Ensure this value is greater"),
        ({"n_check_tries": -1}, "Tries for the comprehension check: Ensure"),
        ({"n_checkpoints": -1}, "Checkpoint items in an assignment: Ensure"),
        ({"seconds_per_item": 0}, "Seconds per text: Ensure"),
        ({"title": ""}, "Title: "),
        ({"title": "x" * 201}, "Title: "),
        ({"contact": "x" * 201}, "Contact for annotators: "),
        ({"assigning_policy": "by taste"}, "Assignment of questionnaires: .*by taste"),
        ({"allows_unjudgeable": "maybe"}, "Annotators may say that they cannot judge: "),
        ({"slug": "x", "revision": "y"}, "No such setting: revision, slug"),
    ],
)
def test_impossible_settings_are_refused(study, changes, said):
    refuse(study, said, **changes)


def test_all_problems_are_reported_at_once(study):
    refuse(
        study,
        "(?s)Hours for.*Seconds per text.*for 9, which",
        scale_labels={"9": "a"},
        lease_hours=0,
        seconds_per_item=0,
    )


def refuse(study: Study, said: str, **changes: object) -> None:
    """Check that the settings are refused and that none, not even a valid one, changed."""
    before = Study.objects.values().get(pk=study.pk), places(study)

    with pytest.raises(SettingRefused, match=said):
        configure_study(study, **{"allows_more_blocks": True, **changes})

    assert (Study.objects.values().get(pk=study.pk), places(study)) == before


@pytest.mark.parametrize(
    ("chosen", "said"),
    [
        ({"lease_hours": "long"}, "Hours for which .* must be an integer"),
        ({"n_checkpoints": None}, "Checkpoint items in an assignment: This field cannot be null"),
        ({"scale_labels": ["a", "b"]}, "texts by points"),
        ({"scale_labels": {"0": 3}}, "texts by points"),
        ({"scale_labels": {"0": "a", "0.0": "b"}}, "The point 0.0 has two labels"),
        ({"scale_labels": {"low": "a"}}, "the scale does not have"),
        ({"scale_labels": {"sNaN": "a"}}, "the scale does not have"),
    ],
)
def test_settings_of_a_wrong_kind_are_refused(study, chosen, said):
    before = Study.objects.values().get(pk=study.pk)

    with pytest.raises(SettingRefused, match=said):
        configure_study(study, **chosen)

    assert Study.objects.values().get(pk=study.pk) == before
