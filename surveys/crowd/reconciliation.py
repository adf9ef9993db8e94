"""Reconcile visits with the provider's reports of submissions: set the status of each visit.

The provider's report decides who did the work; the claims of an arrival count only if they agree.
No work is rejected here, and excluding an annotator from the dataset never withholds pay.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.utils import timezone

from surveys.access.audit_log import record
from surveys.crowd.ledger import record_outside_payment, settle_payment
from surveys.crowd.models import Payment, PaymentState
from surveys.models import (
    Assignment,
    Entrance,
    ProviderState,
    ReconciliationResult,
    Reservation,
    Visit,
    Worker,
)
from surveys.participation.arrivals import find_annotators, find_visits, name_submission
from surveys.participation.assignments import lock_places
from surveys.participation.withdrawal import return_assignment
from surveys.study.blocks.quota import give_back_places

HANDED_IN = (ProviderState.SUBMITTED, ProviderState.APPROVED, ProviderState.REJECTED)
GIVEN_UP = (ProviderState.RETURNED, ProviderState.TIMED_OUT, ProviderState.SCREENED_OUT)
GRACE = timedelta(hours=1)  # after the deadline, before finished work counts as unpaid
NEVER_CAME = "handed in at the provider by a worker who never came here"
UNFINISHED = "handed in at the provider before it was finished here"
TWICE = "handed in at the provider a second time, by another submission, for the same work"
OTHER_WORKER = "handed in at the provider by a different worker from the one who came"


@dataclass(frozen=True, kw_only=True)
class Report:
    """A provider's report of one submission."""

    submission: str
    worker_id: str
    state: ProviderState
    provider_study: str = ""
    code: str = ""
    accepted_at: datetime | None = None
    handed_in_at: datetime | None = None
    decided_at: datetime | None = None
    deadline_at: datetime | None = None


@transaction.atomic
def reconcile_all(entrance: Entrance, reports: Iterable[Report]) -> Counter[str]:
    """Reconcile a provider's list of submissions; count the visits by status. Idempotent."""
    counts: Counter[str] = Counter()
    for report in reports:
        visit = reconcile(entrance, report)
        counts[visit.standing if visit else ""] += 1
    details: dict[str, Any] = {
        standing or "nothing to do": n for standing, n in sorted(counts.items())
    }
    record("submissions.reconciled", entrance.study, entrance.get_provider_display(), **details)
    return counts


@transaction.atomic
def reconcile(
    entrance: Entrance, report: Report, reservation: Reservation | None = None
) -> Visit | None:
    """Apply a provider's report to the visit of its submission and return the visit. Idempotent.

    Returns None for a worker who never came here and has not handed in.
    """
    lock_places(entrance.study_id)
    visit = _find_visit(entrance, report, reservation)
    if visit is None:
        return None
    visit.provider_state = report.state
    for name in ("accepted_at", "handed_in_at", "decided_at", "deadline_at"):
        if (instant := getattr(report, name)) is not None:
            setattr(visit, name, instant)
    if report.state in HANDED_IN:
        visit.returned_at = None
        visit.has_wrong_code = not report.code or report.code != visit.completion_code
        _return_others(visit)
    _set_status(visit)
    visit.save()
    if report.state == ProviderState.APPROVED:
        _settle(visit)
    return visit


@transaction.atomic
def reconcile_silence(reservation: Reservation, now: datetime | None = None) -> Counter[str]:
    """Set the status of visits without a report after their deadline; return the counts.

    Finished work becomes unpaid, unfinished work expires. Call it after fetching all reports.
    """
    now = now or timezone.now()
    lock_places(reservation.study_id)
    counts: Counter[str] = Counter()
    silent = reservation.visits.filter(provider_state="", standing="", deadline_at__lt=now)
    for visit in silent.select_related("assignment__study"):
        if _is_finished(visit) and visit.deadline_at and now < visit.deadline_at + GRACE:
            continue
        _give_up(visit)
        visit.save(update_fields=["standing", "held_because"])
        counts[visit.standing] += 1
    return counts


def _find_visit(
    entrance: Entrance, report: Report, reservation: Reservation | None
) -> Visit | None:
    """Return the visit of a report; a new one for a worker who handed in and never came here."""
    visits = find_visits(entrance, report.submission, report.worker_id)
    if reservation:
        visits = visits.filter(reservation=reservation)
    visit = visits.select_related("assignment__study", "entrance__study").first()
    if visit or report.state not in HANDED_IN:
        return visit
    annotator = find_annotators(entrance.study, entrance.provider, report.worker_id).first()
    if annotator and annotator.worker:
        worker = annotator.worker
    else:
        worker, _new = Worker.objects.get_or_create(
            provider=entrance.provider, worker_id=report.worker_id
        )
    return Visit.objects.create(
        entrance=entrance, reservation=reservation, worker=worker,
        provider_study=report.provider_study,
        submission=name_submission(entrance, report.submission, worker),
    )  # fmt: skip


def _set_status(visit: Visit) -> None:
    """Set the status of a visit from the provider's state and what is stored here."""
    visit.held_because = ""
    match visit.provider_state:
        case ProviderState.APPROVED:
            visit.standing = ReconciliationResult.SETTLED
        case ProviderState.REJECTED:
            visit.standing = ReconciliationResult.SETTLED
            _open_place(visit)
        case ProviderState.SUBMITTED if _is_paid(visit):
            visit.standing = ReconciliationResult.SETTLED
        case ProviderState.SUBMITTED if _is_finished(visit) and not _is_paid_otherwise(visit):
            visit.standing = ReconciliationResult.PAYABLE
        case ProviderState.SUBMITTED:
            visit.standing = ReconciliationResult.HELD
            visit.held_because = _explain_hold(visit)
        case state if state in GIVEN_UP:
            _give_up(visit)
        case _:
            visit.standing = ""


def _give_up(visit: Visit) -> None:
    """Set the status of a visit without a submission: keep finished work, free other places."""
    if _is_paid(visit):
        visit.standing = ReconciliationResult.SETTLED
    elif _is_finished(visit):
        visit.standing = ReconciliationResult.UNPAID
    else:
        visit.standing = ReconciliationResult.EXPIRED
        _return(visit)


def _open_place(visit: Visit) -> None:
    """Free the place of work that was rejected at the provider; all answers stay."""
    if not _is_finished(visit):
        _return(visit)
    elif visit.assignment:
        held = Assignment.objects.filter(pk=visit.assignment.pk, place__isnull=False)
        if held.exists():
            give_back_places([visit.assignment.pk])
            Assignment.objects.filter(pk=visit.assignment.pk).update(is_over_quota=True)


def _return(visit: Visit) -> None:
    others = Visit.objects.current().filter(assignment=visit.assignment_id).exclude(pk=visit.pk)
    if visit.assignment and not others.exists():
        return_assignment(visit.assignment, f"{visit.provider_state or 'expired'} at the provider")


def _return_others(visit: Visit) -> None:
    """Mark visits of other workers on a submission as returned: one worker has handed it in."""
    others = Visit.objects.current().on_submission(visit.entrance, visit.submission)
    for superseded in others.exclude(pk=visit.pk).select_related("assignment__study"):
        superseded.returned_at = timezone.now()
        _give_up(superseded)
        superseded.save(update_fields=["returned_at", "standing"])


def _explain_hold(visit: Visit) -> str:
    if visit.assignment is not None:
        return TWICE if _is_finished(visit) else UNFINISHED
    others = Visit.objects.on_submission(visit.entrance, visit.submission)
    return OTHER_WORKER if others.exclude(pk=visit.pk).exists() else NEVER_CAME


def _settle(visit: Visit) -> None:
    """Record what the provider has paid: settle our payment if sent, else record it as outside."""
    rewards = Payment.objects.rewards().filter(visit=visit)
    if sent := rewards.filter(state__in=PaymentState.sent()).first():
        settle_payment(sent)
    else:
        record_outside_payment(visit, reason="approved at the provider")


def _is_finished(visit: Visit) -> bool:
    return visit.assignment is not None and visit.assignment.submitted_at is not None


def _is_paid_otherwise(visit: Visit) -> bool:
    """Return whether another submission for the same work is paid or payable."""
    others = Visit.objects.filter(assignment=visit.assignment_id).exclude(pk=visit.pk)
    paid = others.filter(standing__in=(ReconciliationResult.PAYABLE, ReconciliationResult.SETTLED))
    return paid.exclude(provider_state=ProviderState.REJECTED).exists()


def _is_paid(visit: Visit) -> bool:
    return Payment.objects.rewards().settled().filter(visit=visit).exists()
