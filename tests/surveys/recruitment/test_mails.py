"""Invitations and reminders by e-mail, sent to a real SMTP server on this machine."""

from datetime import timedelta

import pytest
from django.db import connection
from django.utils import timezone

from surveys.errors import MailRefused
from surveys.features import Lane
from surveys.jobs.perform import perform_due
from surveys.models import AuditEntry, Invitation, MailDelivery, TextKind
from surveys.operations.mail_server import INTERRUPTED
from surveys.participation.withdrawal import revoke_invitation
from surveys.privacy.erasure import forget_invitation, withdraw_annotator
from surveys.recruitment.links import invite_listed
from surveys.recruitment.mails import (
    NOT_WANTED,
    cancel_waiting,
    list_recipients,
    queue_mails,
    retry_failed,
    stop_mail,
)
from surveys.study.lifecycle import close_study
from surveys.study.texts import read_text, set_text
from tests.factories.jobs import fall_silent, let_time_pass
from tests.factories.studies import finish, start
from tests.fixtures.smtp import send_mail_here

ANA, EVA = "ana@example.org", "eva@example.org"
INVITATION, REMINDER = TextKind.INVITATION, TextKind.REMINDER

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.every_database,
    pytest.mark.study(ratings_per_context=8, contact="Write to lab@uni.example"),
]


@pytest.fixture
def server(settings):
    with send_mail_here(settings) as server:
        yield server


def send_mails():
    return perform_due(Lane.MAIL)


def queue(study, kind=INVITATION):
    return queue_mails(study, kind, version=read_text(study, kind).version)


def log(study):
    found = MailDelivery.objects.filter(study=study).order_by("pk")
    return [(mail.invitation.note, mail.kind, mail.state) for mail in found]


def let_days_pass():
    MailDelivery.objects.update(sent_at=timezone.now() - timedelta(days=3))


def test_invitations_are_sent_once_to_each_address(server, study):
    set_text(study, INVITATION, "Come, Žiga\n\nHello,\n\n{link}")
    invite_listed(study, [f"Ana <{ANA}>", EVA, "Ana@Example.org", "class 2b"])

    assert (queue(study), send_mails()) == (2, 2)
    assert (queue(study), send_mails()) == (0, 0)

    assert server.recipients == [ANA, EVA]
    first, token = server.messages[0], Invitation.objects.earliest("pk").token
    assert (first["Subject"], first["From"], first["Reply-To"]) == (
        "Come, Žiga", "Lab <lab@example.org>", "lab@uni.example",
    )  # fmt: skip
    link = f"https://survey.example.org/invitation/{token}/"
    assert first.get_content().split() == ["Hello,", link]
    assert first["List-Unsubscribe"].strip() == f"<{link}no-mail/>"
    assert first["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    assert log(study) == [(f"Ana <{ANA}>", "invitation", "sent"), (EVA, "invitation", "sent")]
    entry = AuditEntry.objects.get(action="mails.queued")
    assert (entry.subject, entry.details) == ("invitation", {"n": 2})


def test_reminders_follow_invitations_after_days_to_people_who_have_not_finished(server, study):
    ana, eva, iva = invite_listed(study, [ANA, EVA, "iva@example.org"]).new
    queue(study), send_mails()
    finish(start(study, ana))
    start(study, eva)
    assert queue(study, REMINDER) == 0

    let_days_pass()

    assert [found.invitation for found in list_recipients(study, REMINDER)] == [eva, iva]
    assert (queue(study, REMINDER), send_mails(), queue(study, REMINDER)) == (2, 2, 0)
    assert server.recipients[3:] == [EVA, "iva@example.org"]


def test_people_who_left_or_asked_for_no_mail_are_never_written_to(server, study):
    left, asked, revoked, done, _ = invite_listed(
        study, ["a@example.org", "b@example.org", "c@example.org", "d@example.org", EVA]
    ).new
    withdraw_annotator(start(study, left).annotator)
    stop_mail(asked)
    revoke_invitation(revoked, "lost")
    finish(start(study, done))
    invite_listed(study, ["A <A@example.org>", "B <b@example.org>", "D <d@example.org>"])

    for kind in (INVITATION, REMINDER):
        assert [found.address for found in list_recipients(study, kind)] == [EVA]


@pytest.mark.parametrize("change", ["revoke", "forget", "finish", "close", "ask elsewhere"])
def test_a_queued_mail_is_not_sent_if_it_is_not_wanted_any_more(change, server, study):
    (link,) = invite_listed(study, [ANA]).new
    queue(study)
    match change:
        case "revoke":
            revoke_invitation(link, "lost")
        case "forget":
            forget_invitation(link, "asked")
        case "finish":
            finish(start(study, link))
        case "close":
            close_study(study)
        case _:
            stop_mail(invite_listed(study, [f"Ana <{ANA}>"]).new[0])

    send_mails()

    assert server.messages == []
    assert MailDelivery.objects.get().error == NOT_WANTED


def test_stopping_and_cancelling_remove_what_waits(server, study):
    ana, _ = invite_listed(study, [ANA, EVA]).new
    queue(study)

    stop_mail(ana)
    assert log(study) == [(EVA, "invitation", "waiting")]
    assert (cancel_waiting(study), log(study), send_mails()) == (1, [], 0)
    assert queue(study) == 1


def test_a_temporary_refusal_is_tried_again_later(server, study):
    invite_listed(study, [ANA])
    server.replies[ANA] = [f"450 {ANA} is busy"]
    queue(study), send_mails()

    mail = MailDelivery.objects.get()
    assert (mail.state, mail.attempts) == ("waiting", 1)
    assert mail.error == "The server refused it: 450 a…@… is busy"
    assert mail.job.due_at > timezone.now() + timedelta(seconds=50)
    let_time_pass()
    send_mails()

    assert (server.recipients, log(study)) == ([ANA], [(ANA, "invitation", "sent")])


def test_a_permanent_refusal_stops_and_can_be_tried_again_by_hand(server, study):
    invite_listed(study, [ANA, EVA])
    server.replies[ANA] = ["550 no such mailbox"]
    queue(study), send_mails()
    assert log(study) == [(ANA, "invitation", "failed"), (EVA, "invitation", "sent")]
    assert MailDelivery.objects.last().error == "The server refused it: 550 no such mailbox"

    assert (retry_failed(study), send_mails(), retry_failed(study)) == (1, 1, 0)

    assert server.recipients == [EVA, ANA]


def test_an_interrupted_mail_is_not_sent_again(server, study):
    invite_listed(study, [ANA])
    server.breaks_off = True
    queue(study), send_mails()
    assert MailDelivery.objects.get().error == INTERRUPTED

    assert (retry_failed(study), queue(study), send_mails()) == (0, 0, 0)


def test_a_server_that_is_away_is_tried_again(server, study, settings):
    invite_listed(study, [ANA])
    settings.EMAIL_PORT = 1
    queue(study), send_mails()

    mail = MailDelivery.objects.get()
    assert (mail.state, mail.attempts) == ("waiting", 1)
    assert "The server was not reached" in mail.error


@pytest.mark.parametrize("end", ["terminated", "killed"])
def test_a_mail_whose_process_ended_is_not_sent_again(end, server, study, monkeypatch):
    invite_listed(study, [ANA])
    queue(study)

    def end_process(delivery):
        assert log(study) == [(ANA, "invitation", "being sent")]
        if end == "killed":
            fall_silent()
        raise SystemExit

    monkeypatch.setattr("surveys.recruitment.mails._send", end_process)
    with pytest.raises(SystemExit):
        send_mails()

    monkeypatch.undo()
    let_time_pass()
    assert log(study) == [(ANA, "invitation", "interrupted")]
    assert (retry_failed(study), queue(study), send_mails()) == (0, 0, 0)


def test_a_silent_process_that_wakes_sends_nothing(server, study, monkeypatch):
    """Else an e-mail that was refused before and is tried again by hand would arrive twice."""
    invite_listed(study, [ANA])
    server.replies[ANA] = [f"450 {ANA} is busy"]
    queue(study), send_mails()
    let_time_pass()

    def wake_late():
        fall_silent()
        monkeypatch.undo()
        assert (retry_failed(study), send_mails()) == (1, 1)
        return True

    monkeypatch.setattr("surveys.recruitment.mails.sends_mail", wake_late)
    send_mails()

    assert server.recipients == [ANA]


def test_mails_wait_while_the_site_sends_none(server, study, settings):
    invite_listed(study, [ANA])
    queue(study)
    settings.EMAIL_HOST = ""
    send_mails()
    assert log(study) == [(ANA, "invitation", "waiting")]

    settings.EMAIL_HOST = "127.0.0.1"
    let_time_pass(), send_mails()

    assert server.recipients == [ANA]


def test_nothing_is_queued_unless_it_can_be_sent(server, study, settings):
    invite_listed(study, [ANA])
    with pytest.raises(MailRefused, match="text was changed"):
        queue_mails(study, INVITATION, version=2)
    settings.SITE_URL = "http://127.0.0.1:8000"
    with pytest.raises(MailRefused, match="nobody else can open"):
        queue(study)
    settings.EMAIL_HOST = ""
    with pytest.raises(MailRefused, match="sends no e-mail"):
        queue(study)
    close_study(study)
    settings.EMAIL_HOST = "127.0.0.1"
    with pytest.raises(MailRefused, match="not open"):
        queue(study)

    assert not MailDelivery.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_queued_mails_are_sent_after_the_commit(server, study, client, admin_user):
    invite_listed(study, [ANA])
    client.force_login(admin_user)

    answer = client.post(
        f"/console/studies/{study.slug}/recruitment/mails/invitations/", {"version": "1"}
    )

    assert answer.status_code == 302
    assert server.recipients == [ANA]
    page = client.get(answer.url).content.decode()
    assert "E-mails queued: 1." in page
    assert "1 invitation sent" in page
    assert not connection.in_atomic_block
