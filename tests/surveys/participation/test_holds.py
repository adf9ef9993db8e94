"""The short hold before an anonymous annotator's first answer, and the lease after it."""

from datetime import timedelta

import pytest
from django.utils import timezone

from surveys.errors import NoPlaceLeft
from surveys.models import Assignment, Entrance, Place, Response
from surveys.models.participation import make_token
from surveys.participation.answers import record_engagement
from surveys.participation.arrivals import start_through
from surveys.participation.assignments import begin_assignment, has_place_left
from surveys.participation.introduction import complete_step, find_due_step
from surveys.recruitment.links import open_entrance
from tests.factories.arrivals import hidden_fields, page
from tests.factories.studies import (
    count_places_left,
    finish,
    make_study,
    progress_of,
    rate_due,
    start,
    stored,
)

pytestmark = [pytest.mark.django_db, pytest.mark.every_database]  # places change hands


def come(entrance: Entrance) -> Assignment:
    return start_through(entrance, make_token())


def begin(entrance: Entrance) -> Assignment:
    return begin_assignment(come(entrance))


def let_pass(**span: float) -> None:
    """Move the last activity, answers apart, of all assignments into the past."""
    Assignment.objects.update(active_at=timezone.now() - timedelta(**span))


@pytest.mark.parametrize("begins", [come, begin])
def test_a_place_without_an_answer_is_given_to_the_next_after_the_hold(link, begins):
    first = begins(link)
    begins(link)
    let_pass(minutes=29)
    assert count_places_left(link.study) == 0
    with pytest.raises(NoPlaceLeft):
        come(link)

    let_pass(minutes=31)

    assert has_place_left(link.study)
    assert count_places_left(link.study) == 2
    newcomer = come(link)
    assert newcomer.questionnaire == first.questionnaire
    assert stored(first, "state") == ("expired",)


def test_the_first_answer_holds_the_place_for_the_lease(link):
    first, _other = begin(link), begin(link)
    record_engagement(progress_of(first), "sea", "salt")
    let_pass(hours=23)

    newcomer = come(link)  # in the place of the other

    assert newcomer.questionnaire != first.questionnaire
    assert stored(first, "state") == ("started",)
    with pytest.raises(NoPlaceLeft):
        come(link)


def test_a_step_before_the_texts_renews_the_hold(link):
    first, _other = come(link), come(link)
    let_pass(minutes=29)
    complete_step(first, find_due_step(first))
    Assignment.objects.filter(pk=first.pk).update(
        active_at=Assignment.objects.get(pk=first.pk).active_at - timedelta(minutes=20)
    )
    Assignment.objects.exclude(pk=first.pk).update(active_at=timezone.now() - timedelta(minutes=49))

    assert come(link).questionnaire != first.questionnaire
    assert stored(first, "state") == ("offered",)


def test_a_personal_link_has_the_whole_lease(link):
    start(link.study), start(link.study)
    let_pass(hours=23)

    assert count_places_left(link.study) == 0
    with pytest.raises(NoPlaceLeft):
        come(link)


def test_a_hold_is_never_longer_than_the_lease(link, settings):
    settings.HOLD_MINUTES = 10_000
    come(link)
    let_pass(hours=25)

    assert count_places_left(link.study) == 2


@pytest.mark.parametrize("begins", [come, begin])
def test_a_late_annotator_keeps_a_place_that_is_free(client, link, begins):
    late = begins(link)
    begins(link)
    let_pass(minutes=31)
    newcomer = come(link)  # takes the first place and frees the other
    other = Assignment.objects.exclude(pk__in=(late.pk, newcomer.pk)).get()
    texts = list(other.responses.values_list("context", flat=True))

    answer_first_text(client, other)

    assert stored(other, "state", "is_over_quota", "place__number") == ("started", False, 1)
    assert list(other.responses.values_list("context", flat=True)) == texts
    assert other.responses.filter(engaged_at__isnull=False).count() == 1


def answer_first_text(client, assignment: Assignment) -> None:
    """Follow the link of an assignment through all pages to the first answer."""
    here = page("next", assignment)
    for _ in range(10):
        shown = client.get(here, follow=True)
        assert shown.status_code == 200
        here = shown.redirect_chain[-1][0] if shown.redirect_chain else here
        sent = {"inspired_word1": "sea", "inspired_word2": "salt", "rating": "3"}
        answer = client.post(here, {**hidden_fields(shown), **sent})
        assert answer.status_code == 302
        if "/words/" in here:
            return
        here = answer.url
    pytest.fail("no text was reached")


@pytest.mark.parametrize("begins", [come, begin])
def test_a_late_annotator_whose_place_is_taken_gets_other_texts(client, begins):
    """Nothing of the first questionnaire was answered, so its quota is not passed."""
    study = make_study(4, block_size=2, ratings_per_context=1)
    entrance = open_entrance(study, "link")
    late = begins(entrance)
    let_pass(minutes=31)
    before = late.questionnaire
    finish(begin(entrance))  # takes the lowest place, which was theirs

    shown = client.get(page("next", late), follow=True)
    assert shown.redirect_chain[-1][0] == page("instructions", late)
    answer_first_text(client, late)

    late.refresh_from_db()
    assert late.questionnaire != before
    if begins is begin:  # they have seen a text of it
        assert late.questionnaire.block != before.block
    assert stored(late, "state", "is_over_quota", "place__number") == ("started", False, 1)
    assert Response.objects.filter(assignment=late).count() == late.n_items


@pytest.mark.parametrize("begins", [come, begin])
def test_a_late_annotator_is_refused_if_no_place_is_left(client, link, begins):
    late = begins(link)
    begins(link)
    let_pass(minutes=31)
    finish(begin(link)), finish(begin(link))

    answers = [
        client.get(page("next", late)),
        client.post(page("engage", late, 1), {"inspired_word1": "sea", "inspired_word2": "salt"}),
        client.post(page("instructions", late)),
    ]

    for answer in answers:
        while answer.status_code == 302:
            answer = client.get(answer.url)
        assert answer.status_code == 409
        assert "We have enough people for this study now" in answer.content.decode()
    assert stored(late, "state", "is_over_quota") == ("expired", False)
    assert Place.objects.filter(assignment__state="submitted").count() == 2
    assert not late.responses.filter(engaged_at__isnull=False).exists()


def test_a_late_annotator_with_answers_continues_over_quota(link):
    late, _other = begin(link), begin(link)
    rate_due(late, 4)
    Response.objects.filter(engaged_at__isnull=False).update(
        engaged_at=timezone.now() - timedelta(hours=25),
        rated_at=timezone.now() - timedelta(hours=25),
    )
    let_pass(hours=25)
    newcomer = begin(link)
    assert newcomer.questionnaire == late.questionnaire

    rate_due(late, 4)

    assert stored(late, "state", "is_over_quota") == ("submitted", True)


def test_open_assignments_are_looked_at_without_reading_those_of_all_studies(link):
    study = link.study

    written = str(Assignment.objects.quiet(study, timezone.now()).query)

    assert "EXISTS" not in written  # with many rows PostgreSQL would read both tables for it
