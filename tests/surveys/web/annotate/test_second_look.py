"""The pages of a second look, by the link with which the annotator came."""

import re
from decimal import Decimal

import pytest
from django.contrib.auth.models import User
from django.urls import reverse

from surveys.models import Response, SecondAnswer
from surveys.privacy.erasure import withdraw_annotator
from surveys.recruitment.links import personal_link
from surveys.review.second_look import close_second_look
from tests.factories.second_looks import list_annotators, looking_study, rated_study

pytestmark = [pytest.mark.django_db, pytest.mark.every_database]  # the page once; two tabs


@pytest.fixture
def third():
    """Return the annotator whose ratings of pairs 1, 2 and 4 are far from the others'."""
    return list_annotators(looking_study())[2]


def address(annotator, page, *number):
    return reverse(f"annotate:{page}", args=[annotator.assignments.get().token, *number])


def number_of(annotator, pair):
    """Return the number under which an annotator sees a pair again."""
    looks = SecondAnswer.objects.filter(response__annotator=annotator).with_items()
    return [look.response.pair.position for look in looks].index(pair) + 1


def answer_of(annotator, pair):
    return SecondAnswer.objects.get(
        response__annotator=annotator, response__pair__position=pair
    ).rating


def test_the_personal_link_leads_to_all_pairs_and_then_to_thanks(client, third):
    link = personal_link(third.invitation.token)
    page = client.get(link, follow=True)
    assert "3 pairs to look at again" in page.content.decode()
    assert f'href="{address(third, "look", 1)}"' in page.content.decode()

    for number in (1, 2, 3):
        page = client.post(address(third, "look", number))
    assert page["Location"] == address(third, "again").replace("again", "thanks")

    assert client.get(link, follow=True).redirect_chain[-1][0] == address(third, "thanks")
    kept = [(look.rating, look.response.rating) for look in SecondAnswer.objects.all()]
    assert sorted(rating for rating, _ in kept if rating is not None) == [Decimal("2.25"), 3, 4]
    assert all(rating in (None, before) for rating, before in kept)


def test_a_pair_is_shown_with_the_own_rating_and_not_with_the_others(client, third):
    page = client.get(address(third, "look", number_of(third, 1))).content.decode()

    assert "You gave <bdi>2.25</bdi>." in page
    assert "Keep 2.25" in page
    assert 'class="button" href="change/">Change</a>' in page
    assert "alpha1" in page
    assert "How similar in meaning" in page
    assert "data-sends" not in page


def test_a_rating_is_changed_on_its_scale(client, third):
    number = number_of(third, 4)
    change = address(third, "change_look", number)

    shown = client.get(change).content.decode()
    assert 'value="4"' in shown
    assert 'href="../"' in shown
    assert client.post(change, {"rating": "4.1"}).status_code == 422
    assert answer_of(third, 4) is None
    (visit,) = re.findall(r'name="shown" value="(\d+)"', shown)
    client.post(change, {"rating": "0.5", "shown": visit})

    assert answer_of(third, 4) == Decimal("0.5")
    assert SecondAnswer.objects.get(rating="0.5").shown_at is not None
    assert Response.objects.get(annotator=third, pair__position=4).rating == 4
    assert client.get(change).status_code == 302  # reload, or the back button


def test_the_first_of_two_tabs_counts(client, third):
    look, change = (address(third, name, number_of(third, 4)) for name in ("look", "change_look"))
    client.post(change, {"rating": "1"})

    assert client.post(change, {"rating": "1"}).status_code == 302
    refused = client.post(look)

    assert refused.status_code == 409
    assert "answered in another tab already: \u20681\u2069." in refused.content.decode()
    assert answer_of(third, 4) == 1


@pytest.mark.parametrize("page", ["again", "look", "change_look"])
def test_closing_in_the_middle_loses_nothing(client, third, page):
    client.post(address(third, "look", 1))
    close_second_look(third.study, User.objects.get())
    number = () if page == "again" else (2,)

    for ended in (
        client.get(address(third, page, *number)),
        client.post(address(third, page, *number), {"rating": "1"}),
    ):
        assert ended.status_code == 409
        assert "your other ratings stay as they were" in ended.content.decode()

    assert SecondAnswer.objects.exclude(answered_at=None).count() == 1
    link = personal_link(third.invitation.token)
    assert client.get(link, follow=True).redirect_chain[-1][0] == address(third, "thanks")


def test_withdrawal_in_the_middle_ends_it(client, third):
    client.post(address(third, "look", 1))
    withdraw_annotator(third)

    ended = client.post(address(third, "look", 2), follow=True)

    assert ended.redirect_chain[-1][0] == address(third, "ended")
    assert not SecondAnswer.objects.filter(response__annotator=third).exists()


def test_a_later_block_that_was_given_up_is_not_in_the_way(client, third):
    submitted = third.assignments.get()
    given_up = third.study.blocks.create(number=2)
    questionnaire = given_up.questionnaires.create(letter="A")
    later = third.assignments.create(
        study=third.study, questionnaire=questionnaire, n_items=1, state="returned",
        round=given_up.rounds.create(number=1),
    )  # fmt: skip

    page = client.get(personal_link(third.invitation.token), follow=True)

    assert page.redirect_chain[-1][0] == reverse("annotate:again", args=[later.token])
    assert "3 pairs to look at again" in page.content.decode()
    assert submitted.pk < later.pk


def test_without_a_second_look_the_pages_lead_to_thanks(client):
    annotator = list_annotators(rated_study())[0]

    for page in (address(annotator, "again"), address(annotator, "look", 1)):
        assert client.get(page, follow=True).redirect_chain[-1][0] == address(annotator, "thanks")
