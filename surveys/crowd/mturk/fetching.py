"""What workers handed in → what is to be done about each visit. Only reads are made."""

from collections import Counter
from datetime import timedelta
from typing import Any

from django.db.models import Q
from django.utils import timezone
from lxml import etree

from surveys.crowd.mturk.gateway import Gateway, open_gateway
from surveys.crowd.mturk.payments import has_doubtful, look_up_doubtful
from surveys.crowd.mturk.planning import close_hit
from surveys.crowd.mturk.publishing import UNSETTLED, refuse_foreign, settle_creation
from surveys.crowd.mturk.steps import Outcome, Tell, clear_error, go_through, keep_quiet
from surveys.crowd.reconciliation import Report, reconcile, reconcile_silence
from surveys.errors import ReportRefused, SurveyError
from surveys.models import Batch, Hit, HitState, ProviderState, Visit
from surveys.recruitment.completion_codes import CODE_FIELD

STATUSES = {
    "Submitted": ProviderState.SUBMITTED,
    "Approved": ProviderState.APPROVED,
    "Rejected": ProviderState.REJECTED,
}
OVER = ("Reviewable", "Reviewing", "Disposed")
AFTERWARDS = timedelta(days=1)  # in which what was handed in unseen may still appear


def fetch_batch(batch: Batch, tell: Tell = keep_quiet) -> Outcome:
    """Take what a target says of the HITs of a batch; those that are over are closed.

    What was paid, and nobody knew whether it was, is settled.

    Raises TargetRefused, and GatewayDown to try again. Twice changes nothing.
    """
    batch = Batch.objects.select_related("study", "entrance").get(pk=batch.pk)
    refuse_foreign(batch)
    hits = list(find_unsettled(batch).with_batch())
    if not hits and not has_doubtful(batch):
        return Outcome()
    gateway = open_gateway(batch.provider)
    fetched = go_through(hits, lambda hit: _fetch(gateway, hit), "fetching", tell)
    return fetched + look_up_doubtful(gateway, batch)


def find_unsettled(batch: Batch) -> Any:
    """The HITs of which a target may still have something to tell."""
    undecided = Visit.objects.filter(provider_state=ProviderState.SUBMITTED).values("hit")
    is_late = Q(state=HitState.CLOSED) & (
        Q(pk__in=undecided) | Q(closed_at__gte=timezone.now() - AFTERWARDS)
    )
    hits = Hit.objects.of_target(batch.provider).filter(batch=batch)
    return hits.filter(Q(state__in=HitState.reachable()) | is_late & ~Q(hit_id=""))


def read_report(found: dict[str, Any]) -> Report:
    """What an MTurk assignment tells, as the client reads it."""
    state = STATUSES[found["AssignmentStatus"]]
    decided = "ApprovalTime" if state == ProviderState.APPROVED else "RejectionTime"
    return Report(
        submission=found["AssignmentId"],
        worker_id=found["WorkerId"],
        provider_study=found["HITId"],
        state=state,
        code=read_code(found.get("Answer", "")),
        accepted_at=found.get("AcceptTime"),
        handed_in_at=found.get("SubmitTime"),
        deadline_at=found.get("Deadline"),
        decided_at=found.get(decided),
    )


def read_code(answer: str) -> str:
    """The completion code in an answer's XML; nothing where there is none, or no XML."""
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
    """How many of a HIT's places were handed in and not rejected."""
    owed = (ProviderState.SUBMITTED, ProviderState.APPROVED)
    return min(hit.n_places, Visit.objects.filter(hit=hit, provider_state__in=owed).count())


def _fetch(gateway: Gateway, hit: Hit) -> Counter[str]:
    if hit.state in UNSETTLED:
        if not settle_creation(gateway, hit):
            return Counter()  # publishing asks for it again
        hit.refresh_from_db()
    # before what was handed in is read: what comes in between keeps it open for one round more
    there = gateway.call("get_hit", HITId=hit.hit_id)["HIT"]
    counts: Counter[str] = Counter()
    faults = []
    for found in gateway.read_all(
        "list_assignments_for_hit", "Assignments", HITId=hit.hit_id,
        AssignmentStatuses=list(STATUSES),
    ):  # fmt: skip
        try:
            visit = reconcile(hit.batch.entrance, read_report(found), hit=hit)
        except SurveyError as error:
            faults.append(str(error))
            continue
        counts[visit.standing if visit else ""] += 1
    counts += reconcile_silence(hit)
    _move_on(hit, there)
    if faults:
        raise ReportRefused("; ".join(faults))
    clear_error(hit)
    return counts


def _move_on(hit: Hit, there: dict[str, Any]) -> None:
    """Close a HIT that takes and awaits nothing more; note one that takes nobody new."""
    if hit.state == HitState.CLOSED:
        return
    # handed in, and not yet to be seen in lists: it counts until it appears or is judged silent
    awaited = Visit.objects.current().filter(hit=hit, provider_state="", standing="")
    is_over = there["HITStatus"] in OVER and not there["NumberOfAssignmentsPending"]
    if is_over and not awaited.exists():
        close_hit(hit, n_owed=count_owed(hit))
    elif is_over or there["Expiration"] <= timezone.now():
        Hit.objects.filter(pk=hit.pk, state=HitState.LIVE).update(state=HitState.CLOSING)
