from urllib.parse import parse_qs, urlsplit

import pytest

from surveys.configuring import configure_study
from surveys.models import Invitation
from surveys.recruiting import invite_listed
from surveys.reminding import list_recruits, write_reminder
from tests.factories import finish, make_study, start


def recruits(study, **options):
    links = Invitation.objects.personal(study).with_whereabouts().order_by("pk")
    return list_recruits(study, links, **options)


def test_owners_get_a_mail_to_each_address(db):
    study = make_study(2, title="Colours & words")
    invite_listed(study, ["Ana <ana+1@example.org>", "class 2b"])

    ana, pupil = recruits(study, sees_addresses=True)

    mail = urlsplit(ana.mail)
    assert (mail.scheme, mail.path) == ("mailto", "ana+1@example.org")
    sent = parse_qs(mail.query)
    assert sent == {"subject": ["Our study “Colours & words”"], "body": [ana.reminder]}
    assert ana.link in ana.reminder
    assert (pupil.mail, pupil.note) == ("", "class 2b")
    assert pupil.link in pupil.reminder


def test_addresses_are_masked_for_the_others(db):
    study = make_study(2)
    invite_listed(study, ["ana@example.org", "class 2b"])

    found = recruits(study, sees_addresses=False)

    assert [recruit.note for recruit in found] == ["a…@…", "class 2b"]
    assert [recruit.mail for recruit in found] == ["", ""]
    assert "example.org" not in str(found)


def test_who_has_finished_is_not_reminded(db):
    study = make_study(2)
    (link,) = invite_listed(study, ["ana@example.org"]).new
    finish(start(study, link))

    (ana,) = recruits(study, sees_addresses=True)

    assert (ana.whereabouts, ana.mail, ana.reminder) == ("submitted", "", "")


@pytest.mark.parametrize(("is_begun", "said"), [(True, "not finished yet"), (False, "not begun")])
def test_a_reminder_says_how_far_somebody_is(is_begun, said, db):
    study = configure_study(make_study(1), contact="lab@example.org")

    text = write_reminder(study, "https://example.org/x", is_begun=is_begun)

    assert said in text
    assert "Questions: lab@example.org" in text
