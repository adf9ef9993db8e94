"""Arrivals by the open link, which many people share."""

from urllib.parse import urlencode

import pytest
from django.urls import reverse
from django.utils import timezone

from surveys.models import Annotator, Assignment, Entrance, Invitation
from surveys.recruitment.links import (
    close_entrance,
    invite_annotators,
    open_entrance,
)
from surveys.sharedtasks.models import SharedTask
from tests.factories.arrivals import PROLIFIC, agree, arrive, hidden_fields, page, welcome
from tests.factories.sharedtasks import make_shared_task
from tests.factories.studies import make_study

pytestmark = pytest.mark.django_db


@pytest.fixture
def capped_link() -> Entrance:
    return open_entrance(make_study(2, ratings_per_context=5), "link", cap=2)


def test_each_arrival_by_the_open_link_gets_a_new_address(client, capped_link):
    first, second = (client.get(arrive(capped_link)) for _ in range(2))

    assert (first.status_code, second.status_code) == (302, 302)
    assert first.url != second.url
    assert Invitation.objects.count() == 0


@pytest.mark.parametrize("language", ["en", "ar"])
def test_visitors_of_the_open_link_are_shown_their_own_link(client, settings, language):
    entrance = open_entrance(make_study(2, language=language), "link")
    path = client.get(arrive(entrance)).url
    own = f'href="{settings.SITE_URL}{path}">{settings.SITE_URL}{path}</a>'

    looked = client.get(path).content.decode()
    agree(client, path)
    assignment = Assignment.objects.get()

    assert own in looked
    for name in ("instructions", "withdraw"):
        assert own in client.get(page(name, assignment)).content.decode()
    assert client.get(path).url == page("next", assignment)


def test_starting_twice_from_the_same_address_is_one_assignment(client, capped_link):
    own = client.get(arrive(capped_link)).url

    first, again = agree(client, own), client.get(own)

    assert Assignment.objects.count() == 1
    assert first.url == again.url == reverse("annotate:next", args=[Assignment.objects.get().token])
    assert own.split("/")[3] == Invitation.objects.get().token


@pytest.mark.parametrize(
    ("way", "setting", "language", "said"),
    [
        ("open", "ARRIVALS_PER_ADDRESS", "en", "from your network within the last hour"),
        ("prolific", "ARRIVALS_PER_ADDRESS", "en", "from your network within the last hour"),
        ("open", "ARRIVALS_PER_LINK", "en", "Very many people are starting this study"),
        ("open", "ARRIVALS_PER_LINK", "ar", "يبدأ عدد كبير جدًا من الأشخاص"),
    ],
)
def test_a_rate_limited_entrance_asks_to_come_later_and_stores_nothing(
    client, settings, way, setting, language, said
):
    setattr(settings, setting, 1)
    study = make_study(2, ratings_per_context=5, language=language)
    if way == "open":
        entrance = open_entrance(study, "link")
        first, late = (client.get(arrive(entrance)).url for _ in range(2))
    else:
        entrance = open_entrance(study, "prolific", completion_code="DONE1", no_place_code="FULL1")
        first, late = (
            f"{arrive(entrance)}?{urlencode({**PROLIFIC, 'PROLIFIC_PID': who * 12})}"
            for who in ("5f", "6f")
        )
    seen = hidden_fields(client.get(late))
    begun = agree(client, first)

    looked = client.get(late)
    posted = client.post(late.split("?")[0], {**seen, "answer": "agree"})

    for answer in (looked, posted):
        assert answer.status_code == 429
        assert 3500 < int(answer["Retry-After"]) <= 3600
        assert said in answer.content.decode()
        assert "FULL1" not in answer.content.decode()
        assert not answer.cookies
    assert (Annotator.objects.count(), Invitation.objects.count()) == (1, 1)
    assert client.get(first).url == begun.url
    declined = client.post(late.split("?")[0], {**seen, "answer": "decline"})
    assert declined.status_code == 200


def test_a_full_study_says_so_instead_of_asking_to_come_later(client, settings):
    settings.ARRIVALS_PER_ADDRESS = 1
    entrance = open_entrance(make_study(2, ratings_per_context=1), "link", cap=1)
    first, late = (client.get(arrive(entrance)).url for _ in range(2))
    agree(client, first)

    assert "We have enough people for this study now" in client.get(late).content.decode()


def test_personal_links_have_no_rate_limit(client, settings):
    settings.ARRIVALS_PER_ADDRESS = settings.ARRIVALS_PER_LINK = 1
    for invitation in invite_annotators(make_study(2, ratings_per_context=5), 3):
        assert agree(client, welcome(invitation)).status_code == 302


def test_an_invalid_ticket_is_not_found(client, capped_link):
    assert (
        client.get(reverse("annotate:join", args=[capped_link.token, "guess"])).status_code == 404
    )


def test_the_cap_limits_starts(client, capped_link):
    addresses = [client.get(arrive(capped_link)).url for _ in range(3)]
    seen = hidden_fields(client.get(addresses[2]))
    for own in addresses[:2]:
        agree(client, own)

    looked = client.get(addresses[2])
    posted = client.post(addresses[2], {**seen, "answer": "agree"})

    assert "We have enough people for this study now" in looked.content.decode()
    assert posted.status_code == 409
    assert Assignment.objects.count() == 2


def test_a_closed_entrance_refuses_newcomers_and_lets_others_resume(client, capped_link):
    own, late = (client.get(arrive(capped_link)).url for _ in range(2))
    agree(client, own)
    close_entrance(capped_link)

    assert client.get(own).status_code == 302
    assert client.get(late).status_code == 410


def test_the_start_page_leads_researchers_to_the_console(client):
    text = client.get(reverse("annotate:index")).content.decode()

    assert f'href="{reverse("console:sign_in")}"' in text
    assert reverse("admin:index") not in text


def test_the_start_page_leads_to_public_shared_tasks(client, db):
    address = f'href="{reverse("sharedtasks:tasks")}"'
    draft = make_shared_task(state="draft", opened_at=None)
    assert address not in client.get(reverse("annotate:index")).text

    SharedTask.objects.filter(pk=draft.pk).update(state="open", opened_at=timezone.now())

    assert address in client.get(reverse("annotate:index")).text
