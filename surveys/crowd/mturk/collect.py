"""Fetch submitted work from a target and set the status of each visit. Only reads are made."""

from collections import Counter
from datetime import timedelta
from typing import Any

from django.db.models import Q
from django.utils import timezone

from surveys.crowd.errors import ReportRefused
from surveys.crowd.models import Batch, Hit, HitState
from surveys.crowd.mturk.gateway import Gateway, open_gateway
from surveys.crowd.mturk.hits import close_hit
from surveys.crowd.mturk.payments import has_unknown_payments, look_up_unknown_payments
from surveys.crowd.mturk.publish import UNSETTLED, reload_batch, settle_creation
from surveys.crowd.mturk.steps import Outcome, Progress, clear_error, process_rows
from surveys.crowd.reconciliation import Report, reconcile, reconcile_silence
from surveys.errors import SurveyError
from surveys.models import ProviderState, Visit
from surveys.recruitment.completion_codes import CODE_FIELD

STATUSES = {
    "Submitted": ProviderState.SUBMITTED,
    "Approved": ProviderState.APPROVED,
    "Rejected": ProviderState.REJECTED,
}
OVER = ("Reviewable", "Reviewing", "Disposed")
LATE_FOR = timedelta(days=1)  # after closing, in which a late submission may still be listed


def fetch_batch(batch: Batch, progress: Progress | None = None) -> Outcome:
    """Fetch the submissions of a batch, close its finished HITs and settle unknown payments.

    Idempotent. Raises TargetRefused, and GatewayDown for a retry.
    """
    batch = reload_batch(batch)
    hits = list(find_open_hits(batch).with_batch())
    if not hits and not has_unknown_payments(batch):
        return Outcome()
    gateway = open_gateway(batch.provider)
    fetched = process_rows(hits, lambda hit: _fetch(gateway, hit), "fetching", progress)
    return fetched + look_up_unknown_payments(gateway, batch)


def find_open_hits(batch: Batch) -> Any:
    """Return the HITs of a batch for which a target may still report something new."""
    undecided = Visit.objects.filter(provider_state=ProviderState.SUBMITTED).values("reservation")
    is_late = Q(state=HitState.CLOSED) & (
        Q(reservation__in=undecided) | Q(reservation__closed_at__gte=timezone.now() - LATE_FOR)
    )
    hits = Hit.objects.of_target(batch.provider).filter(batch=batch)
    return hits.filter(Q(state__in=HitState.reachable()) | is_late & ~Q(hit_id=""))


def read_report(assignment: dict[str, Any]) -> Report:
    """Return the report in an MTurk assignment, as the client returns it."""
    state = STATUSES[assignment["AssignmentStatus"]]
    decided = "ApprovalTime" if state == ProviderState.APPROVED else "RejectionTime"
    return Report(
        submission=assignment["AssignmentId"],
        worker_id=assignment["WorkerId"],
        provider_study=assignment["HITId"],
        state=state,
        code=read_code(assignment.get("Answer", "")),
        accepted_at=assignment.get("AcceptTime"),
        handed_in_at=assignment.get("SubmitTime"),
        deadline_at=assignment.get("Deadline"),
        decided_at=assignment.get(decided),
    )


def read_code(answer: str) -> str:
    """Return the completion code in an answer's XML; empty if there is none, or no valid XML."""
    from lxml import etree  # slow to import

    parser = etree.XMLParser(resolve_entities=False, no_network=True)
    try:
        root = etree.fromstring(answer.encode("utf-8"), parser)
    except etree.XMLSyntaxError:
        return ""
    for part in root.iterfind("{*}Answer"):
        if part.findtext("{*}QuestionIdentifier") == CODE_FIELD:
            return (part.findtext("{*}FreeText") or "").strip()
    return ""


def count_owed(hit: Hit) -> int:
    """Return how many of a HIT's places were submitted and not rejected."""
    owed = (ProviderState.SUBMITTED, ProviderState.APPROVED)
    return min(hit.n_places, hit.reservation.visits.filter(provider_state__in=owed).count())


def _fetch(gateway: Gateway, hit: Hit) -> Counter[str]:
    if hit.state in UNSETTLED:
        if not settle_creation(gateway, hit):
            return Counter()  # publishing requests it again
        hit.refresh_from_db()
    # read before the submissions: one that arrives in between keeps the HIT open until next time
    remote = gateway.call("get_hit", HITId=hit.hit_id)["HIT"]
    counts: Counter[str] = Counter()
    faults = []
    for assignment in gateway.read_all(
        "list_assignments_for_hit", "Assignments", HITId=hit.hit_id,
        AssignmentStatuses=list(STATUSES),
    ):  # fmt: skip
        try:
            visit = reconcile(hit.batch.entrance, read_report(assignment), hit.reservation)
        except SurveyError as error:
            faults.append(str(error))
            continue
        counts[visit.standing if visit else ""] += 1
    counts += reconcile_silence(hit.reservation)
    _update_state(hit, remote)
    if faults:
        raise ReportRefused("; ".join(faults))
    clear_error(hit)
    return counts


def _update_state(hit: Hit, remote: dict[str, Any]) -> None:
    """Close a HIT that expects no more submissions; mark one that takes no new workers."""
    if hit.state == HitState.CLOSED:
        return
    # submitted but not listed yet: it counts until it is listed or its visit expires
    awaited = hit.reservation.visits.current().filter(provider_state="", standing="")
    is_over = remote["HITStatus"] in OVER and not remote["NumberOfAssignmentsPending"]
    if is_over and not awaited.exists():
        close_hit(hit, n_owed=count_owed(hit))
    elif is_over or remote["Expiration"] <= timezone.now():
        Hit.objects.filter(pk=hit.pk, state=HitState.LIVE).update(state=HitState.CLOSING)
