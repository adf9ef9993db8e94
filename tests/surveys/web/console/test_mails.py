"""The pages that send e-mail and show its log."""

import pytest
from django.utils import timezone

from surveys.models import Invitation, MailDelivery, TextKind
from surveys.recruitment.links import invite_listed
from surveys.recruitment.mails import queue_mails
from tests.factories.pages import page, read

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def mail_server(settings):
    settings.EMAIL_HOST, settings.SITE_URL = "127.0.0.1", "https://survey.example.org"


@pytest.fixture
def links(study):
    return invite_listed(study, ["Ana <ana@example.org>", "eva@example.org", "class 2b"]).new


def test_the_first_mail_and_all_addresses_are_shown_before_anything_is_queued(study, links, owner):
    assert "Send 2" in read(owner, "mails", study)

    text = " ".join(read(owner, "send_invitations", study).split())

    assert "The first of them, to <strong>ana@example.org</strong>" in text
    assert f"https://survey.example.org/invitation/{links[0].token}/" in text
    assert "<li>eva@example.org</li>" in text
    assert "Send 2 invitations" in text
    assert not MailDelivery.objects.exists()


def test_mails_are_queued_with_the_text_that_was_shown(study, links, owner):
    changed = owner.post(page("send_invitations", study), {"version": "7"})
    assert (changed.status_code, "text was changed" in changed.content.decode()) == (422, True)

    for n_queued in (2, 0):
        owner.post(page("send_invitations", study), {"version": "1"})
        assert f"E-mails queued: {n_queued}." in read(owner, "mails", study)
    assert MailDelivery.objects.count() == 2


def test_the_log_shows_the_state_and_reason_of_each_mail(study, links, owner):
    queue_mails(study, TextKind.INVITATION, version=1)
    first, _ = MailDelivery.objects.order_by("pk")
    stored = MailDelivery.objects.filter(pk=first.pk)
    stored.update(job=None, error="550 <no> mailbox", attempted_at=timezone.now())

    text = " ".join(read(owner, "mails", study).split())

    assert "1 waiting, 1 failed" in text
    assert "550 &lt;no&gt; mailbox" in text
    assert "Ana &lt;ana@example.org&gt;" in text
    owner.post(page("retry_mails", study))
    assert "2 waiting, 0 failed" in " ".join(read(owner, "mails", study).split())
    owner.post(page("cancel_mails", study))
    assert not MailDelivery.objects.exists()


def test_a_person_who_asks_for_no_mail_is_marked(study, links, owner):
    assert "Send no e-mail to this person" in read(owner, "invitation", study, links[0].pk)

    owner.post(page("no_mail", study, links[0].pk))

    assert Invitation.objects.get(pk=links[0].pk).no_mail_since
    assert "Asked for no e-mail" in read(owner, "invitation", study, links[0].pk)
    assert "Send 1" in read(owner, "mails", study)


def test_a_site_without_a_server_says_so_and_queues_nothing(study, links, owner, settings):
    settings.EMAIL_HOST = ""

    assert "the operator has not set EMAIL_URL" in read(owner, "mails", study)
    answer = owner.post(page("send_invitations", study), {"version": "1"})

    assert answer.status_code == 422
    assert not MailDelivery.objects.exists()
