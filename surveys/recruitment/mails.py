"""Sending invitations and reminders by the operator's SMTP server: a queue, and a log.

Off unless `EMAIL_HOST` is set. An address gets at most one invitation and one reminder in a study:
an e-mail whose sending was interrupted may have arrived, and is not tried again.
"""

from collections.abc import Iterator
from datetime import timedelta
from smtplib import SMTPRecipientsRefused, SMTPResponseException
from typing import Any, NamedTuple

from django.conf import settings
from django.core.mail import EmailMessage, get_connection
from django.db import transaction
from django.db.models import F, Q
from django.utils import timezone

from surveys.access.audit_log import record
from surveys.access.redaction import ADDRESS, digest_in_study, mask_text
from surveys.errors import MailRefused
from surveys.features import MESSAGE_PAUSES
from surveys.models import AssignmentState, Invitation, MailDelivery, Study, TextKind
from surveys.models.recruitment import UNUSED
from surveys.recruitment.links import no_mail_link
from surveys.recruitment.reaching import is_only_here
from surveys.recruitment.reminders import REMINDED, list_links, list_placeholder_values
from surveys.study.letters import Letter, fill_letter
from surveys.study.texts import current_text, read_text

BACKEND = "django.core.mail.backends.smtp.EmailBackend"
REMIND_AFTER = timedelta(days=3)  # after the invitation
MAX_ERROR = 200  # characters
NOT_WANTED = "Not sent: the link, its recipient or the study changed after the e-mail was queued."
INTERRUPTED = "The connection broke off while it was being sent; it may have arrived."
OFF = "This site sends no e-mail: the operator has not set EMAIL_HOST (docs/settings.md)."


class Addressed(NamedTuple):
    """A personal link, and the address in its note."""

    invitation: Invitation
    address: str


class Refusal(NamedTuple):
    """Why an e-mail was not sent, and whether a later attempt may succeed."""

    error: str
    is_temporary: bool


def sends_mail() -> bool:
    """Return whether the operator has configured an SMTP server."""
    return bool(settings.EMAIL_HOST)


def list_recipients(study: Study, kind: TextKind) -> list[Addressed]:
    """Return the links whose recipients would get an e-mail of a kind now, oldest first.

    Without addresses that have got one, and without people who have finished, withdrawn or asked
    for no e-mail by any link. Reminders follow at least three days after an invitation.
    """
    silent = _find_silent(study) | _find_written(study, kind)
    found = []
    for invitation in _find_noted(study, kind):
        address = read_address(invitation.note)
        digest = _digest(study, address)
        if address and digest not in silent:
            silent.add(digest)
            found.append(Addressed(invitation, address))
    return found


def read_address(note: str) -> str:
    """Return the e-mail address in a note, or an empty string."""
    found = ADDRESS.search(note)
    return found[0] if found else ""


def write_letters(study: Study, kind: TextKind, links: list[Addressed]) -> Iterator[Letter]:
    """Yield the current text of a kind for each link."""
    text, known = read_text(study, kind), list_placeholder_values(study)
    for link in links:
        yield fill_letter(text.body, {**known, **list_links(link.invitation.token)})


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
    now = timezone.now()
    queued = MailDelivery.objects.bulk_create(
        MailDelivery(
            study=study, invitation=found.invitation, text=text, kind=kind, next_at=now,
            address_digest=_digest(study, found.address),
        )
        for found in list_recipients(study, kind)
    )  # fmt: skip
    if queued:
        record("mails.queued", study, str(kind), n=len(queued))
    return len(queued)


@transaction.atomic
def retry_failed(study: Study) -> int:
    """Queue the e-mails again that the server refused; return their number.

    Interrupted ones are not among them, since they may have arrived. Raises MailRefused.
    """
    if refusal := explain_refusal(study):
        raise MailRefused(refusal)
    refused = MailDelivery.objects.filter(study=study, next_at=None, sent_at=None)
    refused = refused.exclude(error__in=("", INTERRUPTED))
    n_again = refused.update(next_at=timezone.now(), attempts=0, error="")
    if n_again:
        record("mails.queued", study, "again", n=n_again)
    return n_again


@transaction.atomic
def cancel_waiting(study: Study) -> int:
    """Remove the e-mails that wait from the queue; return their number."""
    waiting = MailDelivery.objects.filter(study=study, next_at__isnull=False)
    n_cancelled, _ = waiting.delete()
    if n_cancelled:
        record("mails.cancelled", study, "", n=n_cancelled)
    return n_cancelled


@transaction.atomic
def stop_mail(invitation: Invitation) -> None:
    """Record that the recipient of a link asked for no e-mail; idempotent."""
    asked = Invitation.objects.filter(pk=invitation.pk, no_mail_since=None)
    if asked.update(no_mail_since=timezone.now()):
        record("invitation.no_mail", invitation.study, str(invitation))
    MailDelivery.objects.filter(invitation=invitation, next_at__isnull=False).delete()


def seconds_until_next() -> float | None:
    """Return when the next e-mail may be sent, by the rate limit; None if none is due."""
    now = timezone.now()
    if not sends_mail() or not MailDelivery.objects.due(now).exists():
        return None
    last = MailDelivery.objects.exclude(attempted_at=None).order_by("-attempted_at").first()
    interval = timedelta(minutes=1) / settings.EMAIL_PER_MINUTE
    if last is None or last.attempted_at is None:
        return 0
    wait = max(0.0, (last.attempted_at + interval - now).total_seconds())
    return max(wait, 1.0) if MailDelivery.objects.under_way(now).exists() else wait


def send_next() -> bool:
    """Send the e-mail that is due first, if the rate limit permits one; return whether it did.

    Of several processes one sends it. A temporary failure makes it due again later.
    """
    delivery = _claim()
    if delivery is None:
        return False
    stored = MailDelivery.objects.filter(pk=delivery.pk)
    refusal = _send(delivery)
    if refusal is None:
        stored.update(sent_at=timezone.now(), error="")
        return True
    pauses = (
        MESSAGE_PAUSES[delivery.attempts - 1 : delivery.attempts] if refusal.is_temporary else ()
    )
    next_at = timezone.now() + pauses[0] if pauses else None
    stored.update(next_at=next_at, error=mask_text(refusal.error)[:MAX_ERROR])
    return True


@transaction.atomic
def _claim() -> MailDelivery | None:
    """Return the e-mail to send now, marked as being sent; it is never claimed twice."""
    now = timezone.now()
    locked = MailDelivery.objects.select_for_update(no_key=True).due(now).first()
    if locked is None or seconds_until_next() != 0:
        return None
    MailDelivery.objects.filter(pk=locked.pk).update(
        next_at=None, attempted_at=now, attempts=F("attempts") + 1, error=""
    )
    related = MailDelivery.objects.select_related("study", "text")
    return related.get(pk=locked.pk)


def _send(delivery: MailDelivery) -> Refusal | None:
    """Send an e-mail once; return why it was not sent, or None."""
    message = _write_message(delivery)
    if message is None:
        return Refusal(NOT_WANTED, is_temporary=False)
    connection: Any = get_connection(BACKEND, timeout=settings.EMAIL_TIMEOUT)
    try:
        connection.open()
    except OSError as error:
        return Refusal(f"The server was not reached: {error}", is_temporary=True)
    try:
        connection.send_messages([message])
    except SMTPRecipientsRefused as error:
        return _read_reply(*next(iter(error.recipients.values())))
    except SMTPResponseException as error:
        return _read_reply(error.smtp_code, error.smtp_error)
    except OSError:
        return Refusal(INTERRUPTED, is_temporary=False)
    except ValueError as error:
        return Refusal(f"The address is not valid: {error}", is_temporary=False)
    finally:
        connection.close()
    return None


def _read_reply(code: int, text: bytes | str) -> Refusal:
    """Return the refusal of a server; a code below 500 is temporary."""
    said = text.decode(errors="replace") if isinstance(text, bytes) else text
    return Refusal(f"The server refused it: {code} {said}", is_temporary=code < 500)


def _write_message(delivery: MailDelivery) -> EmailMessage | None:
    """Return a queued e-mail's message, or None if it is no longer to be sent."""
    study, kind = delivery.study, TextKind(delivery.kind)
    invitation = _find_noted(study, kind).filter(pk=delivery.invitation_id).first()
    address = read_address(invitation.note) if invitation else ""
    digest = _digest(study, address)
    is_same = digest == delivery.address_digest
    if not is_same or digest in _find_silent(study) or study.is_closed:
        return None
    known = {**list_placeholder_values(study), **list_links(invitation.token)}
    letter = fill_letter(delivery.text.body, known)
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
    links: Any = Invitation.objects.personal(study).with_whereabouts()
    return links.filter(note__contains="@", whereabouts__in=states).order_by("pk")


def _find_silent(study: Study) -> set[str]:
    """Return the digests of addresses that are never written to."""
    gone = (AssignmentState.WITHDRAWN, AssignmentState.SUBMITTED)
    links: Any = Invitation.objects.personal(study).with_whereabouts()
    is_silent = Q(no_mail_since__isnull=False) | Q(latest_state__in=gone)
    is_silent |= Q(annotator__withdrawn_at__isnull=False)
    notes = links.filter(is_silent, note__contains="@").values_list("note", flat=True)
    return {_digest(study, read_address(note)) for note in notes}


def _find_written(study: Study, kind: TextKind) -> set[str]:
    """Return the digests of addresses that get no e-mail of a kind, or not yet."""
    is_written = Q(kind=kind)
    if kind == TextKind.REMINDER:
        is_arrived = Q(sent_at__lte=timezone.now() - REMIND_AFTER)
        is_written |= Q(kind=TextKind.INVITATION) & ~is_arrived
    found = MailDelivery.objects.filter(is_written, study=study)
    return set(found.values_list("address_digest", flat=True))


def _digest(study: Study, address: str) -> str:
    return digest_in_study(study.pk, "mail", address.casefold())
