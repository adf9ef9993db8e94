"""The pages on which items without a majority are decided."""

import re
from decimal import Decimal

import pytest
from django.urls import reverse
from lxml import html

from surveys.models import Adjudication
from surveys.review.adjudication import decide
from tests.factories.adjudications import answer_apart
from tests.factories.clients import client_of
from tests.factories.reviews import reviewer
from tests.factories.studies import make_study_of

pytestmark = pytest.mark.django_db


def page_of(client, study, *position):
    """Return a page: the list, or an item's."""
    name = "adjudicate" if position else "adjudication"
    response = client.get(reverse(f"console:{name}", args=[study.slug, *position]))
    return html.fromstring(response.content)


def send(client, study, **sent):
    return client.post(reverse("console:adjudicate", args=[study.slug, 2]), sent)


def choices_of(page):
    labels = page.xpath("//input[@name='answer']/..")
    return {
        " ".join(label.text_content().split()): label.find("input").get("value") for label in labels
    }


def test_an_open_item_is_shown_as_to_annotators_and_decided(tied):
    client = client_of(reviewer(tied))
    listed = page_of(client, tied)
    assert listed.xpath("//ul[@class='texts']//a/text()") == ["p2"]
    page = page_of(client, tied, 2)
    assert "mean the same in both texts?" in page.text_content()
    assert [bold.text_content() for bold in page.xpath("//blockquote//strong")] == ["alpha2"] * 2
    choices = choices_of(page)
    assert sorted(choices) == [
        "Different meanings · lake · salt", "The same meaning · sea · salt",
    ]  # fmt: skip
    assert choices_of(page_of(client, tied, 2)) == choices
    sent = {"answer": choices["Different meanings · lake · salt"], "reason": "clear"}

    assert send(client, tied, **sent).status_code == 302
    assert send(client, tied, **sent).status_code == 302  # sent twice

    assert Adjudication.objects.count() == 1
    listed = page_of(client, tied)
    assert "There are no open items." in listed.text_content()
    row = " ".join(listed.xpath("//tbody/tr")[0].text_content().split())
    answered = "p2 alpha2 – alpha2 Different meanings · lake · salt rea"
    assert re.fullmatch(rf"{answered} \d+ \w+ \d+ clear", row)


def test_of_two_people_the_second_sees_the_first_decision(tied):
    decide(
        tied.pairs.get(position=2).contexts.get(),
        reviewer(tied),
        Decimal(1),
        "clear",
        replaces=None,
    )
    client = client_of(reviewer(tied, "rob"))
    sent = {"answer": choices_of(page_of(client, tied, 2)).popitem()[1], "reason": "a slip"}

    refused = send(client, tied, **sent)

    page = html.fromstring(refused.content)
    assert refused.status_code == 422
    assert "rea has decided this item meanwhile" in page.text_content()
    assert "decided this item on" in page.text_content()
    (seen,) = page.xpath("//input[@name='replaces']/@value")
    assert send(client, tied, **sent, replaces=seen).status_code == 302
    assert Adjudication.objects.standing(tied).get().reason == "a slip"


def test_what_is_missing_is_said(tied):
    client = client_of(reviewer(tied))
    refused = send(client, tied, answer="17", reason=" ")

    assert refused.status_code == 422
    assert "Give a reason" in refused.content.decode()
    assert not Adjudication.objects.exists()
    page = page_of(client, tied, 1)
    assert not page.xpath("//input[@name='answer']")


def test_translators_answers_are_taken_or_another_is_written():
    study = make_study_of("semeval2017-translation", 2, allows_unjudgeable=True)
    answer_apart(study)
    client = client_of(reviewer(study))
    choices = choices_of(page_of(client, study, 2))
    assert sorted(choices) == ["Another translation:", "lake · salt", "sea · salt"]
    sent = {"answer": choices["Another translation:"], "reason": "a name"}

    assert send(client, study, **sent, written1="led").status_code == 422
    assert send(client, study, **sent, written1="led", written2="sol").status_code == 302

    assert Adjudication.objects.get().answer == ("led", "sol")
