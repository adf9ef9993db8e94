"""Read-only summaries of a batch: its HITs, its visits, its money."""

from collections.abc import Collection
from typing import NamedTuple

from django.db.models import BooleanField, Count, ExpressionWrapper, Prefetch, Q, QuerySet, Sum
from django.db.models.functions import Coalesce

from surveys.access.redaction import mask_text
from surveys.crowd.budget import count_spent
from surveys.crowd.ledger import HAS_WORKED, list_unpaid_work
from surveys.crowd.models import Batch, Hit, HitState, Payment, PaymentKind
from surveys.models import ReconciliationResult, Study, Visit

MAX_FAULTS = 20
UNDECIDED = "in progress, or no report yet"


class Money(NamedTuple):
    """Money of a batch in cents, fees included: paid, reserved, and the forecast total."""

    paid_cents: int
    reserved_cents: int
    forecast_cents: int
    ceiling_cents: int | None

    @property
    def room_cents(self) -> int | None:
        """Return what is left below the ceiling, such as for bonuses."""
        return None if self.ceiling_cents is None else self.ceiling_cents - self.forecast_cents


class HitStateCount(NamedTuple):
    """Counts of a batch's HITs in one state, and of their places."""

    state: HitState
    n_hits: int
    n_places: int
    n_under_way: int
    n_finished: int


class StatusCount(NamedTuple):
    """Number of a batch's visits with one status; flagged visits have a wrong code."""

    standing: str
    label: str
    n: int
    n_flagged: int


class Fault(NamedTuple):
    """A HIT with an error, and the error's message without ids of workers."""

    hit: Hit
    error: str


class BatchLine(NamedTuple):
    """A row in the list of batches."""

    batch: Batch
    n_hits: int
    n_places: int
    paid_cents: int


def list_lines(batches: Collection[Batch]) -> list[BatchLine]:
    """Return batches with their size and the amount paid, in two queries."""
    hits = Hit.objects.filter(batch__in=batches).order_by().values_list("batch")
    sizes = {
        pk: (n_hits, n_places)
        for pk, n_hits, n_places in hits.annotate(all_hits=Count("pk"), all_places=Sum("n_places"))
    }
    settled = Payment.objects.settled().filter(batch__in=batches).order_by().values_list("batch")
    paid = dict(settled.annotate(cents=Sum("amount_cents") + Sum("fee_cents")))
    return [
        BatchLine(batch, *sizes.get(batch.pk, (0, 0)), paid.get(batch.pk, 0)) for batch in batches
    ]


def find_batches(study: Study) -> QuerySet[Batch]:
    """Return the batches of a study, the latest first."""
    batches = Batch.objects.filter(study=study).order_by("-pk")
    return batches.select_related("study", "entrance", "armed_by")


def sum_money(batch: Batch) -> Money:
    """Return the cost of a batch so far, and its cost if all places are taken."""
    paid = batch.payments.settled().total_cents()
    spent = count_spent(batch)
    return Money(paid, spent.committed_cents - paid, spent.total_cents, batch.ceiling_cents)


def tally_hits(batch: Batch) -> list[HitStateCount]:
    """Return the HITs of a batch by state, in the order of their life cycle."""
    hits = batch.hits.order_by().values_list("state")
    sizes = hits.annotate(all_hits=Count("pk"), all_places=Sum("n_places"))
    is_done = Q(assignment__submitted_at__isnull=False)
    visits = Visit.objects.current().filter(reservation__hit__batch=batch).order_by()
    people = visits.values_list("reservation__hit__state").annotate(
        under_way=Count("pk", filter=Q(standing="") & ~is_done),
        finished=Count("assignment", filter=is_done, distinct=True),
    )
    by_state = {state: counts for state, *counts in people}
    order = list(HitState)
    tallies = [
        HitStateCount(HitState(state), n_hits, n_places, *by_state.get(state, (0, 0)))
        for state, n_hits, n_places in sizes
    ]
    return sorted(tallies, key=lambda tally: order.index(tally.state))


def list_faults(batch: Batch) -> list[Fault]:
    """Return the first errors of a batch's HITs."""
    faulty = batch.hits.exclude(error="").select_related("reservation__questionnaire__block")
    return [Fault(hit, mask_text(hit.error)) for hit in faulty[:MAX_FAULTS]]


def count_statuses(batch: Batch) -> list[StatusCount]:
    """Return the visits of a batch counted by status."""
    visits = find_people(batch).order_by().values_list("standing")
    flagged = Q(has_wrong_code=True, standing=ReconciliationResult.PAYABLE)
    counts = {
        standing: (n, n_flagged)
        for standing, n, n_flagged in visits.annotate(
            people=Count("pk"), flagged=Count("pk", filter=flagged)
        )
    }
    labels = [*ReconciliationResult.choices, ("", UNDECIDED)]
    return [StatusCount(s, str(label), *counts[s]) for s, label in labels if s in counts]


def count_unpaid(batch: Batch) -> int:
    """Return how much finished work its HITs cannot pay and has not been paid otherwise."""
    return len(list_unpaid_work(batch))


def find_people(batch: Batch) -> QuerySet[Visit]:
    """Return the visits of a batch, the latest first."""
    return Visit.objects.filter(reservation__hit__batch=batch).order_by("-pk")


def narrow_people(visits: QuerySet[Visit], standing: str) -> QuerySet[Visit]:
    """Return visits with a status: `none` for no status, `flagged` for a wrong code; "" for all."""
    match standing:
        case "":
            return visits
        case "none":
            return visits.filter(standing="")
        case "flagged":
            return visits.filter(standing=ReconciliationResult.PAYABLE, has_wrong_code=True)
    return visits.filter(standing=standing)


def with_all(visits: QuerySet[Visit]) -> QuerySet[Visit]:
    """Return visits with what pages show: annotator, assignment, and payments as `ledger`."""
    payments = Payment.objects.select_related("by").order_by("pk")
    return visits.select_related(
        "assignment__annotator", "assignment__study", "entrance",
        "reservation__questionnaire__block__study", "reservation__hit__batch",
    ).prefetch_related(Prefetch("payments", payments, to_attr="ledger")).annotate(
        may_be_chosen=ExpressionWrapper(HAS_WORKED, output_field=BooleanField()),
    )  # fmt: skip


def find_ledger(batch: Batch) -> QuerySet[Payment]:
    """Return the payments of a batch, the latest first."""
    lines = batch.payments.order_by("-pk")
    return lines.select_related("by", "visit__assignment__annotator")


def sum_ledger(batch: Batch) -> dict[str, int]:
    """Return the settled sum for each kind of payment, and for fees."""
    settled = batch.payments.settled()
    kinds = {
        kind: Coalesce(Sum("amount_cents", filter=Q(kind=kind)), 0) for kind in PaymentKind.values
    }
    return settled.aggregate(**kinds, fees=Coalesce(Sum("fee_cents"), 0))
