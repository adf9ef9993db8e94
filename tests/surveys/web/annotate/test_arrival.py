"""Arrival pages and consent."""

import re
from collections.abc import Callable

import pytest
from django.urls import reverse
from django.utils.html import escape

from surveys.models import Annotator, Assignment, Invitation, TextKind
from surveys.participation.withdrawal import revoke_invitation
from surveys.recruitment.links import (
    invite_annotators,
    invite_listed,
    open_entrance,
)
from surveys.study.design import configure_study
from surveys.study.exercises import read_practice
from surveys.study.lifecycle import close_study
from surveys.study.texts import current_text, set_text
from surveys.web.annotate import arrival
from tests.factories.arrivals import PROLIFIC, agree, arrive, hidden_fields, page, squeeze, welcome
from tests.factories.newcomers import CODES
from tests.factories.studies import make_study, start, stored

pytestmark = pytest.mark.django_db


def test_reading_the_consent_page_stores_nothing(client):
    (invitation,) = invite_annotators(make_study(), 1)

    for answer in (client.get(welcome(invitation)), client.head(welcome(invitation))):
        assert answer.status_code == 200

    assert Annotator.objects.count() == 0


def test_agreeing_starts_once_and_stores_the_agreed_version(client):
    study = make_study()
    set_text(study, TextKind.CONSENT, "Our own text.")
    (invitation,) = invite_annotators(study, 1)

    agree(client, welcome(invitation))
    client.post(welcome(invitation), {"answer": "agree", "consent": "1"})

    annotator = Assignment.objects.get().annotator
    assert (annotator.consent.version, annotator.consent.body) == (2, "Our own text.")
    answer = client.get(welcome(invitation), follow=True)
    assert answer.redirect_chain[-1][0].endswith("/instructions/")


def test_agreeing_to_a_text_that_has_changed_shows_the_new_one(client):
    study = make_study()
    (invitation,) = invite_annotators(study, 1)
    seen = hidden_fields(client.get(welcome(invitation)))
    set_text(study, TextKind.CONSENT, "Another text.")

    answer = client.post(welcome(invitation), {**seen, "answer": "agree"})

    assert answer.status_code == 422
    assert "has changed" in answer.content.decode()
    assert "Another text." in answer.content.decode()
    assert Annotator.objects.count() == 0


def test_agreeing_after_a_change_of_withdrawal_rules_asks_again(client):
    study = make_study()
    (invitation,) = invite_annotators(study, 1)
    seen = hidden_fields(client.get(welcome(invitation)))
    configure_study(study, erases_withdrawn=False)

    answer = client.post(welcome(invitation), {**seen, "answer": "agree"})

    assert answer.status_code == 422
    assert "We then do not use your answers, but they are kept." in answer.content.decode()
    assert Annotator.objects.count() == 0


@pytest.mark.parametrize("way", ["personal", "open", "prolific"])
def test_a_change_during_agreement_is_shown_again(client, monkeypatch, way):
    """The change comes between the comparison of the page and the lock of the study."""
    study = make_study()
    if way == "personal":
        url = welcome(invite_annotators(study, 1)[0])
    elif way == "open":
        url = client.get(arrive(open_entrance(study, "link"))).url
    else:
        url = arrive(open_entrance(study, "prolific", completion_code="DONE1"))
    seen = hidden_fields(client.get(url, PROLIFIC))
    for name, change in (
        ("text", lambda: set_text(study, TextKind.CONSENT, "Another text.")),
        ("rule", lambda: configure_study(study, erases_withdrawn=False)),
    ):
        change_before_beginning(monkeypatch, change)

        answer = client.post(url, {**seen, "answer": "agree"})

        assert answer.status_code == 422, name
        assert "has changed" in answer.content.decode()
        seen = hidden_fields(answer)
        assert (Annotator.objects.count(), Invitation.objects.count()) == (0, way == "personal")

    assert "Another text." in answer.content.decode()
    assert client.post(url, {**seen, "answer": "agree"}).status_code == 302
    annotator = Annotator.objects.get()
    assert (annotator.consent.body, annotator.erases_withdrawn) == ("Another text.", False)


def change_before_beginning(monkeypatch, change) -> None:
    """Let a researcher make a change, once, just before an annotator starts."""
    changes = [change]

    def delay(begin: Callable[..., Assignment]) -> Callable[..., Assignment]:
        def begin_later(*arguments, **named) -> Assignment:
            if changes:
                changes.pop()()
            return begin(*arguments, **named)

        return begin_later

    for name in ("start_assignment", "start_through"):
        monkeypatch.setattr(arrival, name, delay(getattr(arrival, name)))


@pytest.mark.parametrize("publishes", [True, False])
def test_welcome_says_whether_the_words_are_published(client, publishes):
    (invitation,) = invite_annotators(make_study(), 1)
    seen = hidden_fields(client.get(welcome(invitation)))
    configure_study(invitation.study, publishes_words=publishes)
    text = client.get(welcome(invitation)).content.decode()

    answer = client.post(welcome(invitation), {**seen, "answer": "agree"})

    assert ("The words that you write are published" in text) is publishes
    assert answer.status_code == (422 if publishes else 302)


def test_declining_stores_nothing(client):
    (invitation,) = invite_annotators(make_study(), 1)

    answer = client.post(welcome(invitation), {"answer": "decline"})

    assert "Nothing was stored" in answer.content.decode()
    assert (Annotator.objects.count(), Assignment.objects.count()) == (0, 0)
    assert stored(invitation, "annotator") == (None,)


def test_welcome_shows_the_number_of_texts_and_minutes(client):
    study = make_study(7, block_size=7)
    study.seconds_per_item = 60
    study.contact = "lab@example.org"
    study.save()
    (invitation,) = invite_annotators(study, 1)

    content = client.get(welcome(invitation)).content.decode()

    assert "7 short texts" in content
    assert "about 10 minutes" in content  # 7 for the texts, 3 for all before them
    assert "mailto:lab@example.org" in content


def test_welcome_shows_title_organisation_pay_and_steps(client):
    study = make_study(language="sl")
    shown = {"public_title": "Besede & mi", "organisation": "Univerza", "pay": "2 €"}
    configure_study(study, n_check_tries=1, **shown)
    (invitation,) = invite_annotators(study, 1)

    content = squeeze(client.get(welcome(invitation)))

    assert "<title>Besede &amp; mi</title>" in content
    assert '<h1 lang="sl" dir="auto">Besede &amp; mi</h1>' in content
    assert '<p class="by"><bdi>Univerza</bdi></p>' in content
    assert "<li><bdi>2 €</bdi></li>" in content
    steps = re.findall(r"<span>([^<]+)</span></li>", content)
    assert steps == ["Privolitev", "Navodila", "Vaja", "Vprašanja", "Besedila"]
    assert content.count('aria-current="step"') == 1


@pytest.mark.parametrize("pay", ["2 €", ""])
@pytest.mark.parametrize(
    ("provider", "known"),
    [
        (None, "The researchers pay you for all texts together, after you finish"),
        ("link", "The researchers pay you for all texts together, after you finish"),
        ("prolific", "Prolific pays you for all texts together, after you use the button"),
    ],
)
def test_welcome_explains_the_pay_it_names(client, provider, known, pay):
    study = configure_study(make_study(), pay=pay)
    if provider:
        entrance = open_entrance(study, provider, **CODES)
        text = client.get(arrive(entrance), PROLIFIC, follow=True).content.decode()
    else:
        (invitation,) = invite_annotators(study, 1)
        text = told_at(client, welcome(invitation))

    assert (known in text) is bool(pay)


def test_welcome_says_when_no_place_is_left_before_any_work(client):
    study = make_study(2, ratings_per_context=1)
    (early,) = invite_annotators(study, 1)
    seen = hidden_fields(client.get(welcome(early)))
    start(study), start(study)

    looked = client.get(welcome(early))
    posted = client.post(welcome(early), {**seen, "answer": "agree"})

    assert (looked.status_code, posted.status_code) == (200, 409)
    for answer in (looked, posted):
        assert "We have enough people for this study now" in answer.content.decode()
    assert b"<form" not in looked.content
    assert Annotator.objects.count() == 2


def test_welcome_says_that_a_study_is_closed(client):
    study = make_study()
    (invitation,) = invite_annotators(study, 1)
    seen = hidden_fields(client.get(welcome(invitation)))
    close_study(study)

    looked = client.get(welcome(invitation))
    posted = client.post(welcome(invitation), {**seen, "answer": "agree"})

    assert (looked.status_code, posted.status_code) == (200, 409)
    for answer in (looked, posted):
        assert "This study is closed" in answer.content.decode()
        assert "enough people" not in answer.content.decode()


def test_a_revoked_link_says_so(client):
    (invitation,) = invite_annotators(make_study(), 1)
    revoke_invitation(invitation, "sent to the wrong person")

    answers = client.get(welcome(invitation)), client.post(welcome(invitation), {"answer": "agree"})

    for answer in answers:
        assert answer.status_code == 410
        assert answer["Cache-Control"] == "private, no-store"
        assert "no longer valid" in answer.content.decode()
        assert "Back to the study" not in answer.content.decode()
    assert Annotator.objects.count() == 0


def test_holders_of_a_personal_link_are_not_shown_another(client):
    (invitation,) = invite_annotators(make_study(), 1)
    looked = client.get(welcome(invitation)).content.decode()
    agree(client, welcome(invitation))

    shown = client.get(page("instructions", Assignment.objects.get())).content.decode()

    assert "your link brings you back" in looked
    assert "Your personal link is" not in looked
    assert "Your personal link. Save it" not in shown


# What is said about stored data


def told_at(client, address, data=None) -> str:
    return client.get(address, data).content.decode()


def test_annotators_from_prolific_read_that_their_id_is_stored(client):
    entrance = open_entrance(make_study(), "prolific", completion_code="DONE1")

    text = told_at(client, arrive(entrance), PROLIFIC)

    assert "Your Prolific ID is kept apart from them, to pay you" in text
    assert "whether a word was pasted" in text
    assert "No date is set for deleting the IDs" in text


def test_holders_of_a_link_with_a_note_read_that_it_is_stored(client):
    study = make_study()
    (plain,) = invite_annotators(study, 1)
    invite_listed(study, ["ana@example.org"])
    noted = Invitation.objects.exclude(note="").get()

    assert "label or address that the researchers noted" in told_at(client, welcome(noted))
    assert "No name, address or ID is kept" in told_at(client, welcome(plain))
    assert "ana@example.org" not in told_at(client, welcome(noted))


def test_recipients_of_e_mail_can_ask_for_no_more(client):
    study = make_study()
    invite_listed(study, ["Ana <ana@example.org>"])
    noted = Invitation.objects.get()
    address = reverse("annotate:no_mail", args=[noted.token])

    shown = told_at(client, welcome(noted))
    asked = told_at(client, address)

    assert f'href="{address}"' in shown
    assert "whether you asked for no more e-mails." in shown
    assert "Would you like to get no more" in asked
    assert Invitation.objects.get().no_mail_since is None
    answer = client.post(address, {"List-Unsubscribe": "One-Click"}).content.decode()
    assert "This site will send you no more e-mails" in answer
    assert Invitation.objects.get().no_mail_since
    assert "Would you like to get no more" not in told_at(client, address)


def test_only_personal_links_can_be_written_to(client):
    study = make_study()
    entrance = open_entrance(study, "link")
    came = Invitation.objects.create(study=study, entrance=entrance)
    (plain,) = invite_annotators(study, 1)

    answer = client.post(reverse("annotate:no_mail", args=[came.token]))

    assert answer.status_code == 404
    assert "No more e-mails" not in told_at(client, welcome(plain))


def test_welcome_says_who_runs_the_study(client):
    study = configure_study(
        make_study(), organisation="University of <Examples>", ethics="Board, no. 7"
    )
    (invitation,) = invite_annotators(study, 1)

    text = told_at(client, welcome(invitation))

    assert "This study is run by \u2068University of &lt;Examples&gt;\u2069." in text
    assert "Ethics approval: \u2068Board, no. 7\u2069" in text


def test_what_consent_needs_is_never_folded_and_comes_before_the_button(client):
    study = configure_study(make_study(), organisation="Univ", ethics="No. 7", contact="a@b.org")
    (invitation,) = invite_annotators(study, 1)

    text = told_at(client, welcome(invitation))
    shown = re.sub(r"<details.*?</details>", "", text, flags=re.DOTALL)

    before_button, _ = shown.split('value="agree"')
    for needed in (
        "For research on language", "Taking part is voluntary", "stored under a random code",
        "ratings are published in a dataset", "You can withdraw at any time", "what is stored",
        "run by \u2068Univ", "Ethics approval", "mailto:a@b.org", "short texts", "minutes",
    ):  # fmt: skip
        assert needed in before_button


def test_welcome_has_a_bare_sample_text_if_there_is_practice(client):
    study = make_study()
    (invitation,) = invite_annotators(study, 1)
    (shown,) = read_practice(current_text(study, TextKind.PRACTICE).body)[0].item.texts

    with_sample = told_at(client, welcome(invitation))
    set_text(study, TextKind.PRACTICE, "")
    without = told_at(client, welcome(invitation))

    assert f">{escape(shown.text)}</blockquote>" in with_sample
    assert "Sample text and breaks" in with_sample
    assert "blockquote" not in without
    assert "<summary>Breaks</summary>" in re.sub(r"\s*(</?summary>)\s*", r"\1", without)


@pytest.mark.parametrize("language", ["ar", "fa"])
def test_arabic_and_persian_pages_hold_no_english(client, language):
    (invitation,) = invite_annotators(make_study(language=language), 1)

    text = told_at(client, welcome(invitation))

    assert f'<html lang="{language}" dir="rtl">' in text
    assert f'<div class="prose" lang="{language}" dir="rtl">' in text
    assert "English" not in text


def test_agreeing_stores_the_notice_and_a_change_asks_again(client):
    study = make_study()
    early, late = invite_annotators(study, 2)
    agree(client, welcome(early))
    seen = hidden_fields(client.get(welcome(late)))
    configure_study(study, allows_unjudgeable=True)

    answer = client.post(welcome(late), {**seen, "answer": "agree"})

    assert answer.status_code == 422
    annotator = Annotator.objects.get()
    assert "The words that you write, and your ratings." in annotator.notice.sections["kept"]


def test_kept_shows_the_agreed_notice_and_its_changes(client):
    study = configure_study(make_study(), contact="lab@example.org")
    (invitation,) = invite_annotators(study, 1)
    agree(client, welcome(invitation))
    assignment = Assignment.objects.get()
    before = told_at(client, page("kept", assignment))
    configure_study(study, allows_unjudgeable=True)

    after = told_at(client, page("kept", assignment))

    for text in (before, after):
        assert "The words that you write, and your ratings." in text
        assert "Taking part is voluntary" in text
        assert "lab@example.org" in text
    assert "Changed since you agreed" not in before
    assert "your comments on texts that you cannot judge" in after.split("Changed since")[1]


def test_kept_shows_a_notice_to_annotators_from_before_notices(client):
    assignment = start(make_study())
    Annotator.objects.update(notice=None)

    text = told_at(client, page("kept", assignment))

    assert "whether a word was pasted" in text
    assert "Changed since you agreed" not in text


@pytest.mark.parametrize("name", ["instructions", "withdraw"])
def test_every_page_after_consent_links_to_kept(client, name):
    assignment = start(make_study())

    assert page("kept", assignment) in told_at(client, page(name, assignment))
