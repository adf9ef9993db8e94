import random

import pytest
from django.db import IntegrityError, transaction

from surveys.errors import NoPlaceLeft, RatingsMissing, TextChanged
from surveys.models import Annotator, Assignment, Response, TextKind
from surveys.participation.assignments import (
    Consent,
    count_items,
    start_assignment,
    submit_assignment,
)
from surveys.recruitment.consent_notice import Facts, make_notice
from surveys.recruitment.links import invite_annotators
from surveys.recruitment.providers import PLAIN_LINK
from surveys.study.design import configure_study
from surveys.study.stimuli.checkpoints import import_checkpoints
from surveys.study.texts import current_text, set_text
from tests.factories.checkpoints import file, numbered_row, row
from tests.factories.studies import count_places_left, finish, make_study, rate_due, start, stored

pytestmark = [pytest.mark.django_db, pytest.mark.every_database]  # locks and constraints


def test_start_assignment_lays_out_the_questionnaire():
    study = make_study(5)

    assignment = start(study)

    laid_out = assignment.responses.values_list("context", flat=True)
    items = assignment.questionnaire.items.values_list("context", flat=True)
    assert sorted(laid_out) == sorted(items)
    positions = assignment.responses.values_list("position", "annotator", "rating")
    assert list(positions) == [(n, assignment.annotator_id, None) for n in range(1, 6)]


def test_start_assignment_repeats_the_order_of_texts_of_a_seed():
    orders = []
    for slug in ("one", "another"):
        study = make_study(6, slug=slug, seed=1)
        assignment = start_assignment(invite_annotators(study, 1)[0], seed=7)
        laid_out = assignment.responses.order_by("position")
        orders.append(list(laid_out.values_list("context__pair__position", "context__number")))

    assert orders[0] == orders[1]
    assert stored(assignment, "seed") == (7,)


@pytest.mark.parametrize(("n_checkpoints", "n_items"), [(0, 4), (1, 5), (3, 6)])
def test_count_items_counts_the_texts_of_a_new_assignment(n_checkpoints, n_items):
    study = make_study(4)
    import_checkpoints(study, file(row(), numbered_row(2)), per_assignment=1)
    study = configure_study(study, n_checkpoints=n_checkpoints)

    assert count_items(study) == start(study).n_items == n_items


def test_start_assignment_orders_the_items_by_a_stored_seed():
    study = make_study(20)
    assignments = [start(study) for _ in range(3)]

    orders = [list(a.responses.values_list("context__pair", flat=True)) for a in assignments]

    assert orders[0] != orders[2]  # the same questionnaire
    for assignment, order in zip(assignments, orders, strict=True):
        pairs = list(assignment.questionnaire.items.values_list("context__pair", flat=True))
        assert random.Random(assignment.seed).sample(pairs, len(pairs)) == order


def test_start_assignment_keeps_the_reason():
    study = make_study(6, block_size=3, ratings_per_context=2)

    assert [start(study).reason for _ in range(5)][::2] == [
        "balanced: place 1 of 2 in study 1A",
        "balanced: place 1 of 2 in study 2A",
        "balanced: place 2 of 2 in study 1A",
    ]


def test_start_assignment_twice_from_a_link_is_one_assignment():
    (invitation,) = invite_annotators(make_study(), 1)

    first, again = start_assignment(invitation), start_assignment(invitation)

    assert first == again
    assert (Annotator.objects.count(), Assignment.objects.count()) == (1, 1)


@pytest.mark.parametrize(("newer_text", "erases"), [(True, True), (False, False)])
def test_start_assignment_refuses_outdated_consent(newer_text, erases):
    study = make_study()
    (invitation,) = invite_annotators(study, 1)
    notice = make_notice(Facts.of(study, PLAIN_LINK))
    agreed = Consent.asked_by(study, current_text(study, TextKind.CONSENT), notice)
    if newer_text:
        set_text(study, TextKind.CONSENT, "Another text.")
    configure_study(study, erases_withdrawn=erases)

    with pytest.raises(TextChanged, match="has changed"):
        start_assignment(invitation, agreed)

    assert (Annotator.objects.count(), Assignment.objects.count()) == (0, 0)


def test_start_assignment_fills_questionnaires_evenly():
    study = make_study(6, block_size=3, ratings_per_context=2)

    given = [str(start(study).questionnaire) for _ in range(8)]

    assert given == ["study 1A", "study 1B", "study 2A", "study 2B"] * 2


def test_start_assignment_refuses_when_no_place_is_left():
    study = make_study(2, ratings_per_context=1)
    start(study), start(study)

    with pytest.raises(NoPlaceLeft, match="We have enough people for this study now"):
        start(study)

    assert count_places_left(study) == 0
    assert (Annotator.objects.count(), Assignment.objects.count()) == (2, 2)


def test_count_places_left_counts_down():
    study = make_study(3, block_size=2, ratings_per_context=3)
    start(study)

    assert count_places_left(study) == 11


def test_database_refuses_a_second_context_of_a_pair_to_an_annotator():
    assignment = start(make_study(1))
    response = assignment.responses.get()
    other = response.pair.contexts.exclude(pk=response.context_id).get()

    with pytest.raises(IntegrityError), transaction.atomic():
        Response.objects.create(
            assignment=assignment,
            annotator=assignment.annotator,
            pair=response.pair,
            context=other,
            position=2,
        )


def test_submit_assignment_refuses_a_missing_rating():
    assignment = start(make_study(2))
    rate_due(assignment, 4)

    with pytest.raises(RatingsMissing, match="1 of the texts"):
        submit_assignment(assignment)

    assert stored(assignment, "state", "submitted_at") == ("started", None)


def test_submit_assignment_again_keeps_the_first_instant():
    assignment = start(make_study(2))
    finish(assignment)
    before = stored(assignment, "state", "submitted_at")

    submit_assignment(assignment)

    assert stored(assignment, "state", "submitted_at") == before
    assert before[0] == "submitted"
