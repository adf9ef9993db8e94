from urllib.parse import parse_qs, urlsplit

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from surveys.models import Invitation, StudyText, TextKind
from surveys.recruitment.links import invite_listed
from surveys.recruitment.reminders import list_recruits
from surveys.study.design import configure_study
from surveys.study.texts import default_body, set_text
from tests.factories.studies import finish, make_study, start

INTERNAL = "Internal title"


def recruits(study, **options):
    links = Invitation.objects.personal(study).with_link_state().order_by("pk")
    return list_recruits(study, links, **options)


def test_owners_get_mails_to_each_address(db):
    study = configure_study(make_study(2), public_title="Colours & words")
    set_text(study, TextKind.INVITATION, "Come to {title}\n\nHello,\n\n{link}")
    invite_listed(study, ["Ana <ana+1@example.org>", "class 2b"])

    ana, pupil = recruits(study, sees_addresses=True)

    mail = urlsplit(ana.invitation.address)
    assert (mail.scheme, mail.path) == ("mailto", "ana+1@example.org")
    assert parse_qs(mail.query) == {
        "subject": ["Come to Colours & words"], "body": [f"Hello,\r\n\r\n{ana.link}"],
    }  # fmt: skip
    assert ana.invitation.letter.body == f"Hello,\n\n{ana.link}"
    assert urlsplit(ana.reminder.address).path == "ana+1@example.org"
    assert (pupil.invitation.address, pupil.reminder.address, pupil.note) == ("", "", "class 2b")
    assert pupil.link in pupil.reminder.letter.body


def test_addresses_are_masked_for_other_roles(db):
    study = make_study(2)
    invite_listed(study, ["ana@example.org", "class 2b"])

    found = recruits(study, sees_addresses=False)

    assert [recruit.note for recruit in found] == ["a…@…", "class 2b"]
    assert "example.org" not in str(found)


def test_mails_fit_the_state_of_the_assignment(db):
    study = make_study(2)
    begun, done = invite_listed(study, ["ana@example.org", "berta@example.org"]).new
    start(study, begun)
    finish(start(study, done))

    ana, berta = recruits(study, sees_addresses=True)

    assert (ana.invitation, ana.reminder is None) == (None, False)
    assert (berta.link_state, berta.invitation, berta.reminder) == ("submitted", None, None)


@pytest.mark.parametrize("language", ["en", "hr", "sl", "fi", "ar", "fa", "de"])
def test_default_mails_never_name_the_title_for_researchers(language, db):
    """Nor mention a contact or a title that the study does not have."""
    study = make_study(2, language=language, title=INTERNAL)
    invite_listed(study, ["ana@example.org"])

    (ana,) = recruits(study, sees_addresses=True)

    for mail in (ana.invitation, ana.reminder):
        assert ana.link in mail.letter.body
        assert INTERNAL not in str(mail)
        assert "{" not in str(mail.letter)
        assert "\n\n\n" not in mail.letter.body
    is_own = language not in ("en", "de")
    english = default_body("en", TextKind.REMINDER).splitlines()[0]
    assert (ana.reminder.letter.subject != english) is is_own


def test_default_mails_name_title_contact_and_minutes(db):
    chosen = {"public_title": "Words", "contact": "lab@example.org"}
    study = configure_study(make_study(2), seconds_per_item=600, **chosen)
    invite_listed(study, ["ana"])

    (ana,) = recruits(study, sees_addresses=True)

    body = ana.invitation.letter.body
    assert "Title of the study: Words\n" in body
    assert "Write to lab@example.org\n" in body
    assert "about 23 minutes" in body  # with consent, instructions and practice


def test_a_reminder_does_not_mention_when_the_link_was_sent(db):
    study = make_study(2)
    invite_listed(study, ["ana"])

    (ana,) = recruits(study, sees_addresses=True)

    assert "ago" not in ana.reminder.letter.body.split()


@pytest.mark.every_database
def test_listing_recruits_stores_no_text_in_a_constant_number_of_queries(db):
    counts = []
    for n in (1, 3):
        study = make_study(2, slug=f"study-{n}")
        invite_listed(study, [f"a{i}@example.org" for i in range(n)])
        with CaptureQueriesContext(connection) as queries:
            recruits(study, sees_addresses=True)
        counts.append(len(queries))

    assert counts[0] == counts[1]
    assert not StudyText.objects.exists()
