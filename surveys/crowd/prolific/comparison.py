"""Prolific's export compared with what is stored here, without storing anything."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.db import transaction

from surveys.crowd.reconciliation import Report, reconcile
from surveys.models import Assignment, Entrance, ProviderState, ReconciliationResult, Visit

APPROVE, DECIDE, PAY_OTHERWISE, NOTHING = "approve", "decide", "pay otherwise", "nothing"
TO_DO = {
    ReconciliationResult.PAYABLE: APPROVE,
    ReconciliationResult.HELD: DECIDE,
    ReconciliationResult.UNPAID: PAY_OTHERWISE,
    ReconciliationResult.SETTLED: NOTHING,
    ReconciliationResult.EXPIRED: NOTHING,
}
NO_VISIT = "No annotator came here by this submission."
OTHER_CODE = "Finished here, but the code on Prolific is missing or differs."
FREED = "Not finished: the place is open to the next annotator."
UNPAID = "Finished here, but not submitted on Prolific: pay with a bonus there, or otherwise."
ALREADY_PAID = "Approved on Prolific."
UNFINISHED_APPROVED = "Approved on Prolific, but not finished here."
REJECTED = "Rejected on Prolific: the place is open again."
UNDER_WAY = "Still under way."


@dataclass(frozen=True, kw_only=True)
class ComparedSubmission:
    """A submission on Prolific, the annotator here, what to do about it, and why."""

    submission: str
    worker_id: str
    provider_state: str
    annotator: str
    state: str
    to_do: str
    explanation: str


@dataclass(frozen=True)
class Comparison:
    """All submissions of an export, and the annotators who finished and are not in it."""

    submissions: list[ComparedSubmission]
    missing: list[str]

    def count(self) -> dict[str, int]:
        """Return the number of submissions by what is to be done, zeros included."""
        to_dos = [submission.to_do for submission in self.submissions]
        return {to_do: to_dos.count(to_do) for to_do in (APPROVE, DECIDE, PAY_OTHERWISE, NOTHING)}

    @property
    def ids_to_approve(self) -> str:
        """The ids of the participants whose submissions can be approved, one per line."""
        return "\n".join(row.worker_id for row in self.submissions if row.to_do == APPROVE)


def compare_export(entrance: Entrance, reports: Sequence[Report]) -> Comparison:
    """Return what reconciling these reports would do; nothing is stored."""
    with transaction.atomic():
        compared = [_compare(report, reconcile(entrance, report)) for report in reports]
        missing = _find_missing(entrance, {report.submission for report in reports})
        transaction.set_rollback(True)
    return Comparison(compared, missing)


def _compare(report: Report, visit: Visit | None) -> ComparedSubmission:
    assignment = visit.assignment if visit else None
    standing = visit.standing if visit else ""
    return ComparedSubmission(
        submission=report.submission,
        worker_id=report.worker_id,
        provider_state=str(report.state),
        annotator=assignment.annotator.code if assignment else "",
        state=_read_state(assignment),
        to_do=TO_DO[ReconciliationResult(standing)] if standing else NOTHING,
        explanation=_explain(report, visit),
    )


def _read_state(assignment: Assignment | None) -> str:
    """Return the state of an assignment after reconciliation; empty without one."""
    if assignment is None:
        return ""
    assignment.refresh_from_db(fields=["state"])
    return assignment.state


def _explain(report: Report, visit: Visit | None) -> str:
    if visit is None:
        return NO_VISIT
    match visit.standing:
        case ReconciliationResult.PAYABLE:
            return OTHER_CODE if visit.has_wrong_code else ""
        case ReconciliationResult.HELD:
            return f"{visit.held_because[:1].upper()}{visit.held_because[1:]}."
        case ReconciliationResult.UNPAID:
            return UNPAID
        case ReconciliationResult.EXPIRED:
            return FREED
        case ReconciliationResult.SETTLED if report.state == ProviderState.REJECTED:
            return REJECTED
        case ReconciliationResult.SETTLED:
            finished = visit.assignment is not None and visit.assignment.submitted_at is not None
            return ALREADY_PAID if finished else UNFINISHED_APPROVED
    return UNDER_WAY


def _find_missing(entrance: Entrance, reported: set[str]) -> list[str]:
    """Return the codes of annotators who finished by a submission that is not reported."""
    finished = Visit.objects.current().filter(
        entrance=entrance, worker__is_digest=False, assignment__submitted_at__isnull=False
    )
    rows = finished.values_list("submission", "assignment__annotator__code").order_by("pk")
    return [code for submission, code in rows if submission not in reported]
