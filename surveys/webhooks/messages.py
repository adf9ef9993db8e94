"""Webhooks: signed messages about events in a study, sent to its owners' endpoints.

A message is stored in the transaction of the event, and sent afterwards in the background.
"""

import hashlib
import hmac
import json
import secrets
from collections.abc import Callable, Collection, Mapping
from datetime import timedelta
from typing import Any

from django.db import transaction
from django.db.models import F
from django.utils import timezone

from surveys.access.audit_log import record
from surveys.errors import TooEarly, TryLater, WebhookRefused
from surveys.jobs.queue import enqueue, move
from surveys.models import (
    Assignment,
    AssignmentState,
    Delivery,
    Job,
    Place,
    Round,
    Run,
    Study,
    Webhook,
    WebhookEvent,
)
from surveys.webhooks.hosts import refuse_url

MAX_WEBHOOKS = 10  # of a study
TEST = "test"  # the event of test messages, which no webhook subscribes to
DELIVERY = "webhooks.delivery"  # the kind of job
AFTER_FAILURE = timedelta(minutes=1)  # in which an endpoint gets no other message
WHILE_DISABLED = timedelta(days=1)
# Without details, which would let owners scan networks that only the site can reach.
NOT_REACHED = "No response came within ten seconds, or this site does not send to that address."
NOT_ACCEPTED = "The response did not have a 2xx status."


@transaction.atomic
def add_webhook(study: Study, url: str, events: Collection[str]) -> Webhook:
    """Add a webhook to a study. Raises WebhookRefused."""
    refuse_url(url)
    _refuse_events(events)
    Study.objects.select_for_update(no_key=True).get(pk=study.pk)
    if Webhook.objects.filter(study=study).count() >= MAX_WEBHOOKS:
        raise WebhookRefused(f"The study already has {MAX_WEBHOOKS} webhooks; remove one first.")
    webhook = Webhook.objects.create(
        study=study,
        url=url,
        events=sorted(set(events)),
        secret=f"whsec_{secrets.token_urlsafe(32)}",
    )
    record("webhook.added", study, f"webhook {webhook.pk}", url=url, events=webhook.events)
    return webhook


@transaction.atomic
def change_webhook(webhook: Webhook, **changes: Any) -> Webhook:
    """Change `url`, `events` or `is_active` of a webhook. Raises WebhookRefused."""
    webhook = Webhook.objects.select_for_update(no_key=True).get(pk=webhook.pk)
    if unknown := sorted(set(changes) - {"url", "events", "is_active"}):
        raise WebhookRefused(f"No such setting: {', '.join(unknown)}.")
    for name, value in changes.items():
        setattr(webhook, name, sorted(set(value)) if name == "events" else value)
    refuse_url(webhook.url)
    _refuse_events(webhook.events)
    webhook.save(update_fields=["url", "events", "is_active"])
    if changes.get("is_active"):
        move(Job.objects.filter(delivery__webhook=webhook), timezone.now())
    record("webhook.changed", webhook.study, f"webhook {webhook.pk}", **changes)
    return webhook


@transaction.atomic
def remove_webhook(webhook: Webhook) -> None:
    """Delete a webhook and its delivery history."""
    name, study, url = f"webhook {webhook.pk}", webhook.study, webhook.url
    if Webhook.objects.filter(pk=webhook.pk).delete()[0]:
        record("webhook.removed", study, name, url=url)


@transaction.atomic
def send_test(webhook: Webhook) -> Delivery:
    """Queue a test message for a webhook. Raises WebhookRefused if it is disabled."""
    webhook = Webhook.objects.select_for_update(no_key=True).get(pk=webhook.pk)
    if not webhook.is_active:
        raise WebhookRefused("The webhook is disabled. Enable it first.")
    now = timezone.now()
    payload = {"study": webhook.study.slug, "sent_at": now.isoformat()}
    return _queue(webhook, TEST, f"{TEST} at {now.isoformat()}", payload)


def store_assignment_messages(assignment: Assignment) -> None:
    """Store messages that an assignment, and possibly its block, was finished."""
    webhooks = _find_active(assignment.study_id)
    if not webhooks:
        return
    # simultaneous submissions wait, so that the last one sees all the others
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


def store_run_messages(run: Run) -> None:
    """Store messages that a run is done or has failed."""
    webhooks = _find_active(run.study_id)
    if webhooks:
        at = timezone.now().isoformat()
        payload = {
            "study": run.study.slug, "run": run.pk, "number": run.number, "kind": run.kind,
            "state": run.state, "finished_at": at,
        }  # fmt: skip
        _store(webhooks, WebhookEvent.RUN_FINISHED, f"run {run.pk} at {at}", payload)


def deliver(job: Job, progress: object) -> Callable[[], object] | None:
    """Send a job's message, unless the webhook was removed. Raises TryLater if that failed.

    Raises TooEarly while the webhook is disabled, and if its endpoint has just failed, so that an
    endpoint that does not respond delays the messages to others only once.
    """
    stored = Delivery.objects.filter(job=job)
    delivery = stored.select_related("webhook").first()
    if delivery is None:
        return None
    webhook, now = delivery.webhook, timezone.now()
    if not webhook.is_active:
        raise TooEarly(now + WHILE_DISABLED)
    if webhook.failed_at and now < webhook.failed_at + AFTER_FAILURE:
        raise TooEarly(webhook.failed_at + AFTER_FAILURE)
    error = _send(delivery)
    tried = {"attempts": F("attempts") + 1, "error": error[:200]}
    if error:
        Webhook.objects.filter(pk=webhook.pk).update(failed_at=timezone.now())
        stored.update(**tried)
        raise TryLater(error)
    return lambda: stored.update(**tried, delivered_at=timezone.now())


def sign(secret: str, at: int, body: bytes) -> str:
    """Return the signature header: the time, and HMAC-SHA256 of time and body.

    >>> sign("whsec_x", 0, b"{}")[:20]
    't=0,v1=7038aeae91b44'
    """
    mac = hmac.new(secret.encode(), f"{at}.".encode() + body, hashlib.sha256)
    return f"t={at},v1={mac.hexdigest()}"


def _send(delivery: Delivery) -> str:
    """Send a message once; return why it failed, or ''."""
    from surveys.webhooks.requests import (  # slow to import
        NotReached,
        post,
    )

    webhook = delivery.webhook
    message = {"id": delivery.pk, "event": delivery.event, "data": delivery.payload}
    body = json.dumps(message).encode()
    headers = {
        "Content-Type": "application/json",
        "Cosima-Event": delivery.event,
        "Cosima-Signature": sign(webhook.secret, int(timezone.now().timestamp()), body),
        "User-Agent": "Cosima",
    }
    try:
        refuse_url(webhook.url)  # settings may have changed
        status = post(webhook.url, body, headers)
    except WebhookRefused as error:
        return str(error)
    except NotReached:
        return NOT_REACHED
    return "" if 200 <= status < 300 else NOT_ACCEPTED


def _find_active(study_id: int) -> list[Webhook]:
    active = Webhook.objects.filter(study=study_id, is_active=True)
    return list(active.select_related("study"))


def _store(
    webhooks: list[Webhook], event: WebhookEvent, subject: str, payload: Mapping[str, Any]
) -> None:
    """Store messages for the webhooks that subscribe to an event."""
    for webhook in webhooks:
        if event in webhook.events:
            _queue(webhook, event, subject, payload)


def _queue(webhook: Webhook, event: str, subject: str, payload: Mapping[str, Any]) -> Delivery:
    """Store a message and the job that sends it, once for each subject."""
    delivery, is_new = Delivery.objects.get_or_create(
        webhook=webhook, event=event, subject=subject, defaults={"payload": payload}
    )
    if is_new:
        study = webhook.study
        delivery.job = enqueue(DELIVERY, scope=f"study:{study.pk}", study=study)
        delivery.save(update_fields=["job"])
    return delivery


def _is_finished(round_: Round) -> bool:
    """Return whether every open place of a round has a submitted assignment."""
    places = Place.objects.filter(round=round_, is_open=True)
    return not places.exclude(assignment__state=AssignmentState.SUBMITTED).exists()


def _refuse_events(events: Collection[str]) -> None:
    if unknown := sorted(set(events) - set(WebhookEvent.values)):
        allowed = ", ".join(WebhookEvent.values)
        raise WebhookRefused(f"No such event: {', '.join(unknown)}. Events: {allowed}.")
    if not events:
        raise WebhookRefused("Choose at least one event.")
