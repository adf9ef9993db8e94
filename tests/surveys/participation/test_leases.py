"""Leases: a place is held for a set time since the last answer, and late answers are kept."""

from datetime import timedelta
from decimal import Decimal

import pytest
from django.db import IntegrityError, connection, transaction
from django.db.models import Count, Q
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from surveys.errors import NoPlaceLeft
from surveys.models import Assignment, Place, Questionnaire, Response, Study
from surveys.participation.answers import record_engagement, record_rating
from surveys.participation.assignments import lock_places, resume_assignment
from surveys.participation.withdrawal import return_assignment
from surveys.study.design import configure_study
from tests.factories.studies import (
    count_places_left,
    finish,
    make_study,
    progress_of,
    rate_due,
    start,
    stored,
)

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.every_database,  # locks, constraints, instants
    pytest.mark.study(ratings_per_context=1),
]


def let_pass(**span: float) -> None:
    """Move all activity into the past."""
    Assignment.objects.update(active_at=timezone.now() - timedelta(**span))
    Response.objects.filter(engaged_at__isnull=False).update(
        engaged_at=timezone.now() - timedelta(**span)
    )
    Response.objects.filter(rated_at__isnull=False).update(
        rated_at=timezone.now() - timedelta(**span)
    )


def test_a_place_is_held_while_its_lease_runs(study):
    start(study), start(study)
    let_pass(hours=23)

    assert count_places_left(study) == 0
    with pytest.raises(NoPlaceLeft):
        start(study)


def test_a_lapsed_place_is_given_to_the_next_annotator(study):
    lapsed, _ = start(study), start(study)
    let_pass(hours=25)

    assert count_places_left(study) == 2
    newcomer = start(study)

    assert newcomer.questionnaire == lapsed.questionnaire
    assert stored(lapsed, "state") == ("expired",)
    assert stored(newcomer, "state", "is_over_quota") == ("started", False)


def test_looking_at_the_places_left_changes_nothing(study):
    assignment = start(study)
    let_pass(hours=25)

    count_places_left(study)

    assert stored(assignment, "state") == ("started",)


def test_an_answer_renews_the_lease(study):
    assignment, _ = start(study), start(study)
    let_pass(hours=23)
    rate_due(assignment, 4)
    Assignment.objects.update(active_at=timezone.now() - timedelta(hours=30))

    assert start(study).questionnaire != assignment.questionnaire
    assert stored(assignment, "state") == ("started",)


def test_a_finished_assignment_never_lapses(study):
    finish(start(study)), finish(start(study))
    let_pass(days=400)

    assert count_places_left(study) == 0


def test_a_late_annotator_takes_a_free_place_again(study):
    late, other = start(study), start(study)
    let_pass(hours=25)
    start(study)  # takes the first place, and frees the other

    finish(other)

    assert stored(other, "state", "is_over_quota") == ("submitted", False)
    assert stored(late, "state") == ("expired",)


def test_a_late_annotator_without_a_place_is_marked_over_quota(study):
    late, _ = start(study), start(study)
    rate_due(late, 5)
    let_pass(hours=25)
    newcomer = start(study)

    finish_rest(late)
    finish(newcomer)

    assert stored(late, "state", "is_over_quota") == ("submitted", True)
    assert stored(newcomer, "state", "is_over_quota") == ("submitted", False)
    assert late.responses.rated().count() == 2
    assert count_places_left(study) == 1  # the questionnaire of the third, which has lapsed


def test_a_place_given_away_while_the_last_answer_is_under_way_is_marked(study):
    late, _ = start(study), start(study)
    rate_due(late, 5)
    record_engagement(progress_of(late), "sea", "salt")
    where = progress_of(late)
    let_pass(hours=25)
    start(study)

    record_rating(where, Decimal(3))

    assert stored(late, "state", "is_over_quota") == ("submitted", True)


def test_a_place_that_is_free_again_is_taken_while_the_last_answer_is_under_way(study):
    late, other = start(study), start(study)
    rate_due(other, 5)
    record_engagement(progress_of(other), "sea", "salt")
    where = progress_of(other)
    let_pass(hours=25)
    start(study)  # takes the place of the first, and frees the other
    assert stored(other, "state") == ("expired",)

    assert record_rating(where, Decimal(3))

    assert stored(other, "state", "is_over_quota", "place__number") == ("submitted", False, 1)
    assert stored(late, "state") == ("expired",)
    assert count_places_left(study) == 0


def test_an_annotator_over_quota_takes_a_free_place_after_a_pause(study):
    late, other = start(study), start(study)
    rate_due(late, 5)
    let_pass(hours=25)
    newcomer = start(study)
    record_engagement(progress_of(late), "sea", "salt")
    assert stored(late, "state", "is_over_quota", "place") == ("started", True, None)
    return_assignment(newcomer, "tried")
    let_pass(hours=25)
    return_assignment(other, "tried")  # whatever asks for places frees the lapsed ones

    record_rating(progress_of(late), Decimal(3))

    assert stored(late, "state", "is_over_quota", "place__number") == ("submitted", False, 1)
    assert count_places_left(study) == 1


def test_a_lapsed_assignment_over_quota_frees_no_place(study):
    late, _ = start(study), start(study)
    rate_due(late, 5)
    let_pass(hours=25)
    newcomer = start(study)
    finish(newcomer)
    record_engagement(progress_of(late), "sea", "salt")
    let_pass(hours=25)

    start(study)  # in the other questionnaire, of which the place has lapsed

    assert stored(late, "state", "is_over_quota") == ("expired", True)
    assert stored(newcomer, "state", "place__number") == ("submitted", 1)
    with pytest.raises(NoPlaceLeft):
        start(study)


def test_resume_assignment_again_changes_nothing(study):
    late, other = start(study), start(study)
    let_pass(hours=25)
    start(study)
    stale = Assignment.objects.get(pk=other.pk)
    resume_assignment(other)
    before = stored(other, "state", "is_over_quota", "active_at", "place")

    resume_assignment(stale)

    assert stored(other, "state", "is_over_quota", "active_at", "place") == before
    assert stored(late, "state") == ("expired",)


def test_database_refuses_a_place_twice(study):
    place = Place.objects.first()
    place.pk = None

    with pytest.raises(IntegrityError), transaction.atomic():
        place.save()

    assert count_places_left(study) == 2


def test_database_refuses_two_places_to_one_assignment(study):
    assignment = start(study)

    with pytest.raises(IntegrityError), transaction.atomic():
        Place.objects.filter(assignment=None).update(assignment=assignment)

    assert count_places_left(study) == 1


def finish_rest(assignment: Assignment) -> None:
    for _ in range(assignment.responses.unanswered().count()):
        rate_due(assignment, 3)


def wait(**span: float) -> None:
    for table, names in ((Assignment, ["active_at"]), (Response, ["engaged_at", "rated_at"])):
        for row in table.objects.all():
            for name in names:
                if instant := getattr(row, name):
                    setattr(row, name, instant - timedelta(**span))
            row.save(update_fields=names)


def test_an_arrival_counts_answers_as_activity(study):
    """Otherwise every arrival would look up the answers of all assignments again."""
    assignment, _ = start(study), start(study)
    rate_due(assignment, 4)
    Assignment.objects.filter(pk=assignment.pk).update(
        active_at=timezone.now() - timedelta(hours=30)
    )
    (rated_at,) = stored(assignment.responses.get(position=1), "rated_at")

    with pytest.raises(NoPlaceLeft):
        start(study)
    lock_places(study.pk)

    assert stored(assignment, "state", "active_at") == ("started", rated_at)


@transaction.atomic
def count_queries_of_lock_places(study: Study) -> int:
    with CaptureQueriesContext(connection) as queries:
        lock_places(study.pk)
    return len(queries)


def test_freeing_lapsed_places_takes_as_many_queries_for_few_as_for_many():
    study = make_study(2, ratings_per_context=20)
    assert count_queries_of_lock_places(study) == 2
    n_queries = []
    for n_lapsed in (3, 30):
        for _ in range(n_lapsed):
            start(study)
        let_pass(hours=25)
        n_queries.append(count_queries_of_lock_places(study))

    assert n_queries == [9, 9]
    assert Assignment.objects.filter(state="expired", place=None).count() == 33
    assert count_places_left(study) == 40


@pytest.mark.parametrize("at_once", [1, 3, 100])
def test_places_of_lapsed_assignments_are_closed_where_there_are_enough(monkeypatch, at_once):
    """The surplus with the highest numbers, so that free places are numbered from 1."""
    monkeypatch.setattr("surveys.study.blocks.quota.ROWS_PER_STATEMENT", at_once)
    study = make_study(2, ratings_per_context=5)
    assignments = [start(study) for _ in range(10)]
    finish(assignments[0])
    configure_study(study, ratings_per_context=3)
    let_pass(hours=25)
    assert count_places_left(study) == 5

    lock_places(study.pk)

    places = Place.objects.order_by("questionnaire", "number")
    assert list(places.values_list("questionnaire__letter", "number", "is_open")) == [
        (letter, number, number <= 3) for letter in "AB" for number in range(1, 6)
    ]
    assert list(Place.objects.exclude(assignment=None)) == [assignments[0].place]
    assert count_places_left(study) == 5


@pytest.mark.parametrize("n_wanted", [1, 2, 6])
def test_places_are_adjusted_in_chunks(monkeypatch, n_wanted):
    monkeypatch.setattr("surveys.study.blocks.quota.ROWS_PER_STATEMENT", 2)
    study = make_study(6, block_size=2, ratings_per_context=4)
    start(study)

    for ratings_per_context in (2, 4, n_wanted):
        configure_study(study, ratings_per_context=ratings_per_context)

    open_places = Questionnaire.objects.annotate(n=Count("places", filter=Q(places__is_open=True)))
    assert {questionnaire.n for questionnaire in open_places} == {n_wanted}
    assert count_places_left(study) == 6 * n_wanted - 1
