"""Sending invitations and reminders by the operator's SMTP server: a queue, and a log.

Off unless `EMAIL_URL` is set. An address gets at most one invitation and one reminder in a study:
an e-mail whose sending was interrupted may have arrived, and is not tried again.
"""

from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any, NamedTuple

from django.conf import settings
from django.core.mail import EmailMessage
from django.db import transaction
from django.db.models import F, Q
from django.utils import timezone

from surveys.access.audit_log import record
from surveys.access.redaction import ADDRESS, digest_in_study, mask_text
from surveys.errors import MailRefused, TooEarly, TryLater
from surveys.jobs.perform import Progress
from surveys.jobs.queue import enqueue_many
from surveys.models import (
    AssignmentState,
    Invitation,
    Job,
    JobState,
    MailDelivery,
    Study,
    TextKind,
)
from surveys.models.recruitment import UNUSED, MailDeliveryQuerySet
from surveys.operations.mail_server import INTERRUPTED, Refusal, send_message, sends_mail
from surveys.recruitment.links import no_mail_link
from surveys.recruitment.reaching import is_only_here
from surveys.recruitment.reminders import REMINDED, list_links, list_placeholder_values
from surveys.study.letters import Letter, fill_letter
from surveys.study.texts import current_text, read_text

REMIND_AFTER = timedelta(days=3)  # after the invitation
WHILE_OFF = timedelta(minutes=5)  # until it is asked whether e-mail is on again
MAX_ERROR = 200  # characters
NOT_WANTED = "Not sent: the link, its recipient or the study changed after the e-mail was queued."
OFF = "This site sends no e-mail: the operator has not set EMAIL_URL (docs/settings.md)."


class Addressed(NamedTuple):
    """A personal link, and the address in its note."""

    invitation: Invitation
    address: str


def list_recipients(study: Study, kind: TextKind) -> list[Addressed]:
    """Return the links whose recipients would get an e-mail of a kind now, oldest first.

    Without addresses that have got one, and without people who have finished, withdrawn or asked
    for no e-mail by any link. Reminders follow at least three days after an invitation.
    """
    silent = _find_silent(study) | _find_written(study, kind)
    recipients = []
    for invitation in _find_noted(study, kind):
        address = read_address(invitation.note)
        digest = _digest(study, address)
        if address and digest not in silent:
            silent.add(digest)
            recipients.append(Addressed(invitation, address))
    return recipients


def read_address(note: str) -> str:
    """Return the e-mail address in a note, or an empty string."""
    match = ADDRESS.search(note)
    return match[0] if match else ""


def write_letters(study: Study, kind: TextKind, links: list[Addressed]) -> Iterator[Letter]:
    """Yield the current text of a kind for each link."""
    text, values = read_text(study, kind), list_placeholder_values(study)
    for link in links:
        yield fill_letter(text.body, {**values, **list_links(link.invitation.token)})


def explain_refusal(study: Study) -> str:
    """Return why a study's e-mail cannot be sent now, or an empty string."""
    if not sends_mail():
        return OFF
    if study.is_draft or study.is_closed:
        return "The study is not open: nobody could start."
    if is_only_here():
        return (
            f"Links begin with {settings.SITE_URL}, which nobody else can open; the operator sets "
            "SITE_URL."
        )
    return ""


@transaction.atomic
def queue_mails(study: Study, kind: TextKind, *, version: int | None) -> int:
    """Queue an e-mail to each recipient and return their number; twice does no harm.

    Raises MailRefused if e-mail is off, the study is not open, or the text is not this version.
    """
    study = Study.objects.select_for_update(no_key=True).get(pk=study.pk)  # two forms at once
    if refusal := explain_refusal(study):
        raise MailRefused(refusal)
    if read_text(study, kind).version != version:
        raise MailRefused("The text was changed since this page was opened. Look at it again.")
    text = current_text(study, kind)  # stores a default that was not used before
    recipients = list_recipients(study, kind)
    queued = MailDelivery.objects.bulk_create(
        MailDelivery(
            study=study, invitation=recipient.invitation, text=text, kind=kind, job=job,
            address_digest=_digest(study, recipient.address),
        )
        for recipient, job in zip(recipients, _enqueue(study, len(recipients)), strict=True)
    )  # fmt: skip
    if queued:
        record("mails.queued", study, str(kind), n=len(queued))
    return len(queued)


@transaction.atomic
def retry_failed(study: Study) -> int:
    """Queue the e-mails again that the server refused; return their number.

    Interrupted ones are not among them, since they may have arrived. Raises MailRefused.
    """
    study = Study.objects.select_for_update(no_key=True).get(pk=study.pk)  # two forms at once
    if refusal := explain_refusal(study):
        raise MailRefused(refusal)
    refused = list(MailDelivery.objects.filter(study=study).failed().exclude(error=INTERRUPTED))
    for mail, job in zip(refused, _enqueue(study, len(refused)), strict=True):
        mail.job, mail.attempts, mail.error = job, 0, ""
    MailDelivery.objects.bulk_update(refused, ["job", "attempts", "error"], batch_size=500)
    if refused:
        record("mails.queued", study, "again", n=len(refused))
    return len(refused)


@transaction.atomic
def cancel_waiting(study: Study) -> int:
    """Remove the e-mails that wait from the queue; return their number."""
    n_cancelled = _cancel(MailDelivery.objects.filter(study=study))
    if n_cancelled:
        record("mails.cancelled", study, "", n=n_cancelled)
    return n_cancelled


@transaction.atomic
def stop_mail(invitation: Invitation) -> None:
    """Record that the recipient of a link asked for no e-mail; idempotent."""
    unstopped = Invitation.objects.filter(pk=invitation.pk, no_mail_since=None)
    if unstopped.update(no_mail_since=timezone.now()):
        record("invitation.no_mail", invitation.study, str(invitation))
    _cancel(MailDelivery.objects.filter(invitation=invitation))


def send_mail(job: Job, progress: Progress) -> Callable[[], object] | None:
    """Send a job's e-mail, unless it is no longer queued. Raises MailRefused, or TryLater."""
    if not sends_mail():
        raise TooEarly(timezone.now() + WHILE_OFF)
    delivery = _begin(job, progress)
    if delivery is None:
        return None
    stored = MailDelivery.objects.filter(job=job)
    if refusal := _send(delivery):
        error = mask_text(refusal.error)[:MAX_ERROR]
        stored.update(error=error)
        raise TryLater(error) if refusal.is_temporary else MailRefused(error)
    return lambda: stored.update(sent_at=timezone.now())


@transaction.atomic
def _begin(job: Job, progress: Progress) -> MailDelivery | None:
    """Return a job's e-mail, marked as one that may have arrived. Raises JobTaken."""
    progress("sending", 0, 1)
    stored = MailDelivery.objects.filter(job=job)
    stored.update(attempted_at=timezone.now(), attempts=F("attempts") + 1, error="")
    return stored.select_related("study", "text").first()


def _enqueue(study: Study, n: int) -> list[Job]:
    return enqueue_many("mails.delivery", n, scope=f"study:{study.pk}", study=study)


def _cancel(mails: MailDeliveryQuerySet) -> int:
    """Delete the e-mails that wait; return their number."""
    # an update, since a process may begin to send one of them now
    waiting = Job.objects.filter(mail__in=mails, state=JobState.WAITING)
    waiting.update(state=JobState.CANCELLED, finished_at=timezone.now())
    return mails.filter(job__state=JobState.CANCELLED).delete()[0]


def _send(delivery: MailDelivery) -> Refusal | None:
    """Send an e-mail once; return why it was not sent, or None."""
    message = _write_message(delivery)
    return send_message(message) if message else Refusal(NOT_WANTED, is_temporary=False)


def _write_message(delivery: MailDelivery) -> EmailMessage | None:
    """Return a queued e-mail's message, or None if it is no longer to be sent."""
    study, kind = delivery.study, TextKind(delivery.kind)
    invitation = _find_noted(study, kind).filter(pk=delivery.invitation_id).first()
    address = read_address(invitation.note) if invitation else ""
    digest = _digest(study, address)
    is_same = digest == delivery.address_digest
    if not is_same or digest in _find_silent(study) or study.is_closed:
        return None
    values = {**list_placeholder_values(study), **list_links(invitation.token)}
    letter = fill_letter(delivery.text.body, values)
    contact = read_address(study.contact)
    headers = {  # RFC 8058: mail programs show a button that sends a POST
        "Auto-Submitted": "auto-generated",
        "List-Unsubscribe": f"<{no_mail_link(invitation.token)}>",
        "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
    }
    return EmailMessage(
        letter.subject, letter.body, settings.DEFAULT_FROM_EMAIL, [address],
        headers=headers, reply_to=[contact] if contact else None,
    )  # fmt: skip


def _find_noted(study: Study, kind: TextKind) -> Any:
    """Return the links with an @ in their note whose state suits a kind of e-mail."""
    states = [UNUSED] if kind == TextKind.INVITATION else list(REMINDED)
    links: Any = Invitation.objects.personal(study).with_link_state()
    return links.filter(note__contains="@", link_state__in=states).order_by("pk")


def _find_silent(study: Study) -> set[str]:
    """Return the digests of addresses that are never written to."""
    gone = (AssignmentState.WITHDRAWN, AssignmentState.SUBMITTED)
    links: Any = Invitation.objects.personal(study).with_link_state()
    is_silent = Q(no_mail_since__isnull=False) | Q(latest_state__in=gone)
    is_silent |= Q(annotator__withdrawn_at__isnull=False)
    notes = links.filter(is_silent, note__contains="@").values_list("note", flat=True)
    return {_digest(study, read_address(note)) for note in notes}


def _find_written(study: Study, kind: TextKind) -> set[str]:
    """Return the digests of addresses excluded from a kind of e-mail, for good or for now."""
    is_written = Q(kind=kind)
    if kind == TextKind.REMINDER:
        is_arrived = Q(sent_at__lte=timezone.now() - REMIND_AFTER)
        is_written |= Q(kind=TextKind.INVITATION) & ~is_arrived
    deliveries = MailDelivery.objects.filter(is_written, study=study)
    return set(deliveries.values_list("address_digest", flat=True))


def _digest(study: Study, address: str) -> str:
    return digest_in_study(study.pk, "mail", address.casefold())
