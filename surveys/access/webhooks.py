"""What happens in a study → signed messages to the addresses its owners gave.

A message is stored in the transaction of what it tells of, and sent afterwards, in the background.
"""

import hashlib
import hmac
import json
import secrets
from collections.abc import Collection, Mapping
from datetime import timedelta
from typing import Any

from django.db import transaction
from django.db.models import F
from django.dispatch import Signal
from django.utils import timezone

from surveys.access.audit_log import record
from surveys.access.webhook_hosts import refuse_url
from surveys.errors import WebhookRefused
from surveys.models import (
    Assignment,
    AssignmentState,
    Delivery,
    Place,
    Round,
    Run,
    Study,
    Webhook,
    WebhookEvent,
)

MOST_A_STUDY = 10
CLAIMED = timedelta(minutes=2)  # to whoever sends it; then somebody else may
PAUSES = tuple(timedelta(minutes=minutes) for minutes in (1, 5, 30, 120, 480, 1440))
# No more is told than that: details would make a scanner of networks that only the site reaches.
NOT_REACHED = (
    "No answer came within ten seconds, or the address is one to which this site sends nothing."
)
NOT_TAKEN = "It answered, but not with 2xx."
messages_stored = Signal()  # within the transaction of what they report


@transaction.atomic
def add_webhook(study: Study, url: str, events: Collection[str]) -> Webhook:
    """Tell an address of what happens in a study from now on. Raises WebhookRefused."""
    refuse_url(url)
    _refuse_events(events)
    Study.objects.select_for_update(no_key=True).get(pk=study.pk)
    if Webhook.objects.filter(study=study).count() >= MOST_A_STUDY:
        raise WebhookRefused(f"The study has {MOST_A_STUDY} webhooks already; remove one first.")
    made = Webhook.objects.create(
        study=study,
        url=url,
        events=sorted(set(events)),
        secret=f"whsec_{secrets.token_urlsafe(32)}",
    )
    record("webhook.added", study, f"webhook {made.pk}", url=url, events=made.events)
    return made


@transaction.atomic
def change_webhook(webhook: Webhook, **changes: Any) -> Webhook:
    """Change url, events or is_active of a webhook. Raises WebhookRefused."""
    webhook = Webhook.objects.select_for_update(no_key=True).get(pk=webhook.pk)
    if unknown := sorted(set(changes) - {"url", "events", "is_active"}):
        raise WebhookRefused(f"No such setting: {', '.join(unknown)}.")
    for name, value in changes.items():
        setattr(webhook, name, sorted(set(value)) if name == "events" else value)
    refuse_url(webhook.url)
    _refuse_events(webhook.events)
    webhook.save(update_fields=["url", "events", "is_active"])
    record("webhook.changed", webhook.study, f"webhook {webhook.pk}", **changes)
    return webhook


@transaction.atomic
def remove_webhook(webhook: Webhook) -> None:
    """Tell an address nothing any more; what it was told is forgotten, too."""
    name, study, url = f"webhook {webhook.pk}", webhook.study, webhook.url
    if Webhook.objects.filter(pk=webhook.pk).delete()[0]:
        record("webhook.removed", study, name, url=url)


def tell_of_assignment(assignment: Assignment) -> None:
    """Store that an assignment, and perhaps its block, was finished: in the same transaction."""
    webhooks = list(Webhook.objects.listening(assignment.study_id))
    if not webhooks:
        return
    # who finishes at the same time waits, so that the last one sees all the others
    round_ = Round.objects.select_for_update(no_key=True).get(pk=assignment.round_id)
    block = round_.block
    where = {"study": block.study.slug, "block": block.number, "round": round_.number}
    finished = {
        **where,
        "questionnaire": assignment.questionnaire.letter,
        "annotator": assignment.annotator.code,
        "finished_at": timezone.now().isoformat(),
    }
    event = WebhookEvent.ASSIGNMENT_FINISHED
    _store(webhooks, event, f"assignment {assignment.pk}", finished)
    if round_.is_current and _is_finished(round_):
        subject = f"round {round_.pk}"
        at = timezone.now().isoformat()
        _store(webhooks, WebhookEvent.BLOCK_FINISHED, subject, {**where, "finished_at": at})


def tell_of_run(run: Run) -> None:
    """Store that a run has come to its end, well or badly: in the same transaction."""
    webhooks = list(Webhook.objects.listening(run.study_id))
    if webhooks:
        at = timezone.now().isoformat()
        told = {
            "study": run.study.slug, "run": run.pk, "number": run.number, "kind": run.kind,
            "state": run.state, "finished_at": at,
        }  # fmt: skip
        _store(webhooks, WebhookEvent.RUN_FINISHED, f"run {run.pk} at {at}", told)


def deliver(delivery_id: int) -> bool:
    """Send a message if it is due; return False where it was sent and did not arrive.

    It is due again later then. Of several who try at once one sends it.
    """
    now = timezone.now()
    claimed = Delivery.objects.due(now).filter(pk=delivery_id)
    if not claimed.update(next_at=now + CLAIMED, attempts=F("attempts") + 1):
        return True
    delivery = Delivery.objects.select_related("webhook").get(pk=delivery_id)
    error = _send(delivery)
    if not error:
        Delivery.objects.filter(pk=delivery_id).update(
            delivered_at=timezone.now(), next_at=None, error=""
        )
        return True
    pauses = PAUSES[delivery.attempts - 1 : delivery.attempts]
    next_at = timezone.now() + pauses[0] if pauses else None
    Delivery.objects.filter(pk=delivery_id).update(next_at=next_at, error=error[:200])
    return False


def sign(secret: str, at: int, body: bytes) -> str:
    """The header that shows who sent a message, and when: HMAC-SHA256 over both.

    >>> sign("whsec_x", 0, b"{}")[:20]
    't=0,v1=7038aeae91b44'
    """
    mac = hmac.new(secret.encode(), f"{at}.".encode() + body, hashlib.sha256)
    return f"t={at},v1={mac.hexdigest()}"


def _send(delivery: Delivery) -> str:
    """Send a message once. Why it did not arrive, or nothing."""
    from surveys.access.webhook_requests import (  # an HTTP client takes long to load
        NotReached,
        post,
    )

    webhook = delivery.webhook
    told = {"id": delivery.pk, "event": delivery.event, "data": delivery.payload}
    body = json.dumps(told).encode()
    headers = {
        "Content-Type": "application/json",
        "Cosima-Event": delivery.event,
        "Cosima-Signature": sign(webhook.secret, int(timezone.now().timestamp()), body),
        "User-Agent": "Cosima",
    }
    try:
        refuse_url(webhook.url)  # the site's settings may have changed
        status = post(webhook.url, body, headers)
    except WebhookRefused as error:
        return str(error)
    except NotReached:
        return NOT_REACHED
    return "" if 200 <= status < 300 else NOT_TAKEN


def _store(
    webhooks: list[Webhook], event: WebhookEvent, subject: str, payload: Mapping[str, Any]
) -> None:
    """Store messages to those who want them, and have them sent once that is certain."""
    wanting = [webhook for webhook in webhooks if event in webhook.events]
    Delivery.objects.bulk_create(
        (
            Delivery(
                webhook=webhook, event=event, subject=subject, payload=payload,
                next_at=timezone.now(),
            )
            for webhook in wanting
        ),
        ignore_conflicts=True,
    )  # fmt: skip
    if wanting:
        messages_stored.send(sender=Delivery)


def _is_finished(round_: Round) -> bool:
    """Whether every place of a round has led to a finished assignment."""
    places = Place.objects.filter(round=round_, is_open=True)
    return not places.exclude(assignment__state=AssignmentState.SUBMITTED).exists()


def _refuse_events(events: Collection[str]) -> None:
    if unknown := sorted(set(events) - set(WebhookEvent.values)):
        known = ", ".join(WebhookEvent.values)
        raise WebhookRefused(f"No such event: {', '.join(unknown)}. Events: {known}.")
    if not events:
        raise WebhookRefused("Choose what the address is to be told: there is no event.")
