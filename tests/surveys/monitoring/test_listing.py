from datetime import timedelta

import pytest
from django.db import transaction
from django.utils import timezone

from surveys.models import Assignment, Review, Study, VerdictKind
from surveys.monitoring.agreement import compute_agreement, read_stored
from surveys.monitoring.listing import (
    HEADINGS,
    ORDERS,
    Looks,
    count_looks,
    find_outdated_rounds,
    list_assignments,
    show_assignments,
)
from surveys.monitoring.progress import count_block_progress
from surveys.results.inspection.pairs import list_headings
from surveys.review.queue import file_answers
from surveys.review.verdicts import give_verdict
from tests.factories.answers import answer, finish_at, hours_ago
from tests.factories.reviews import reviewer
from tests.factories.studies import make_study, start
from tests.surveys.monitoring.test_progress import current_rounds

pytestmark = pytest.mark.every_database  # aggregated and ordered

RATINGS = ([0, 1, 2, 3, 4, 5], [0, 1, 2, 3, 5, 4], [5, 3, 4, 1, 2, 0], [2, 2, 2, 2, 2, 2])


@pytest.fixture(scope="module")
def listed_answers(django_db_setup, django_db_blocker):
    """The ids of the assignments below, made once; changes by a test are rolled back."""
    with django_db_blocker.unblock(), transaction.atomic():
        study = make_study(6, ratings_per_context=10)
        made = []
        while len(made) < len(RATINGS):
            assignment = start(study)
            if assignment.questionnaire.letter == "A":
                responses = assignment.responses.order_by("position")
                in_order = responses.values_list("pair_id", flat=True)
                places = {pair: place for place, pair in enumerate(sorted(in_order))}
                answer(assignment, [RATINGS[len(made)][places[pair]] for pair in in_order])
                finish_at(assignment, hours_ago(1), 10 + len(made))
                made.append(assignment)
        yield [one.pk for one in made]
        transaction.set_rollback(True)


@pytest.fixture
def watched(listed_answers, db):
    """Return a study of one questionnaire that four have finished, and one of them carelessly."""
    study = Study.objects.get()
    study.unfinished = Assignment.objects.exclude(state="submitted")
    study.made = listed_answers
    return study


def compute(study):
    compute_agreement(study, count_block_progress(study, current_rounds(study)))


def ids_of_rounds(study):
    return [round_.pk for round_ in current_rounds(study)]


def listed(study, **wanted):
    found = Assignment.objects.for_study(study)
    return [pk for pk in list_assignments(study, found, **wanted) if pk in study.made]


def test_assignments_are_listed_in_each_order(watched):
    compute(watched)
    all_ids = sorted(Assignment.objects.values_list("pk", flat=True))

    found = {
        order: list_assignments(watched, Assignment.objects.for_study(watched), order=order)
        for order in ORDERS
    }

    assert {order: sorted(ids) for order, ids in found.items()} == dict.fromkeys(ORDERS, all_ids)


def test_assignments_are_sorted_by_columns_and_cached_figures(watched):
    one, two, three, constant = watched.made
    compute(watched)

    assert listed(watched) == [constant, three, two, one]
    assert listed(watched, order="begun") == watched.made
    assert listed(watched, order="minutes") == watched.made
    assert listed(watched, order="-minutes") == watched.made[::-1]
    assert listed(watched, order="spread")[0] == constant
    assert listed(watched, order="mean")[0] == constant


@pytest.mark.parametrize("order", ["agreement", "-agreement"])
def test_assignments_are_sorted_by_agreement_undefined_last(order, watched):
    compute(watched)

    *defined, last = [
        one.agreement.rho for one in show_assignments(watched, listed(watched, order=order))
    ]

    assert defined == sorted(defined, reverse=order.startswith("-"))
    assert (len({*defined}), last) == (3, None)


def test_orders_by_unknown_figures_are_those_of_the_list(watched):
    assert listed(watched, order="agreement") == listed(watched)
    assert listed(watched, look="unusual") == []


def test_assignments_with_warnings_are_worth_a_look(watched):
    constant = watched.made[3]
    compute(watched)
    rounds = {round_.pk for round_ in current_rounds(watched)}

    assert listed(watched, look="grave") == [constant]
    assert count_looks(read_stored(watched), rounds) == Looks(1, 1)
    assert count_looks(read_stored(watched), set()) == Looks(0, 0)


def test_a_verdict_is_a_decision(watched):
    constant = watched.made[3]
    compute(watched)
    file_answers(watched)
    whole = Review.objects.assignments(watched).get(assignment=constant)

    give_verdict(whole, reviewer(watched), VerdictKind.GOOD, "")

    assert listed(watched, look="grave") == []
    assert listed(watched, look="unusual") == [constant]
    (shown,) = show_assignments(watched, [constant])
    assert (shown.verdict, shown.is_grave, shown.is_set_aside) == ("good", False, False)


def test_show_assignments_keeps_the_order_and_adds_agreement(watched):
    compute(watched)

    shown = show_assignments(watched, watched.made[::-1])

    assert [one.assignment.pk for one in shown] == watched.made[::-1]
    assert [one.agreement.rho is None for one in shown] == [True, False, False, False]


def test_rounds_are_outdated_until_their_figures_are_computed(watched):
    assert find_outdated_rounds(watched) == ids_of_rounds(watched)
    compute(watched)
    assert find_outdated_rounds(watched) == []

    finish_at(Assignment.objects.get(pk=watched.made[0]), timezone.now() + timedelta(minutes=1))

    assert find_outdated_rounds(watched) == ids_of_rounds(watched)


def test_one_finished_assignment_is_enough_for_warnings(db):
    study = make_study(2, slug="other")
    assignment = start(study)
    assert find_outdated_rounds(study) == []

    answer(assignment)

    assert find_outdated_rounds(study) == ids_of_rounds(study)
    assert read_stored(study) == {}


def test_headings_turn_their_order_around():
    by_label = {heading.label: heading for heading in list_headings("-mean", HEADINGS)}

    assert (by_label["Mean"].order, by_label["Mean"].sort) == ("mean", "descending")
    assert (by_label["Spread"].order, by_label["Spread"].sort) == ("spread", "")
    assert (by_label["Answered"].order, by_label["Answered"].sort) == ("", "")
