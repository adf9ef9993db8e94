"""What a batch has come to: its HITs, its people, its money. Nothing here changes anything."""

from collections.abc import Collection
from typing import NamedTuple

from django.db.models import BooleanField, Count, ExpressionWrapper, Prefetch, Q, QuerySet, Sum
from django.db.models.functions import Coalesce

from surveys.access.redaction import mask_text
from surveys.crowd.budget import count_spent
from surveys.crowd.ledger import list_unpaid_work
from surveys.models import Batch, Hit, HitState, Payment, PaymentKind, Standing, Study, Visit
from surveys.models.recruitment import ProviderState

MOST_FAULTS = 20
UNDECIDED = "at work, or not heard of"
HAS_WORKED = Q(
    provider_state__in=(ProviderState.SUBMITTED, ProviderState.APPROVED),
    assignment__submitted_at__isnull=False,
)


class Money(NamedTuple):
    """What a batch has cost, what it holds back, and what it comes to; in cents, with fees."""

    paid_cents: int
    reserved_cents: int
    forecast_cents: int
    ceiling_cents: int | None

    @property
    def room_cents(self) -> int | None:
        """What is left below the ceiling, such as for bonuses."""
        return None if self.ceiling_cents is None else self.ceiling_cents - self.forecast_cents


class HitTally(NamedTuple):
    """How many HITs of a batch are in a state, their places, and what became of these."""

    state: HitState
    n_hits: int
    n_places: int
    n_under_way: int
    n_finished: int


class StandingTally(NamedTuple):
    """How many visits of a batch stand so; flagged are those with a wrong code."""

    standing: str
    label: str
    n: int
    n_flagged: int


class Fault(NamedTuple):
    """A HIT with which something went wrong, and what its provider said, without ids of people."""

    hit: Hit
    error: str


class BatchLine(NamedTuple):
    """A batch in the list of them."""

    batch: Batch
    n_hits: int
    n_places: int
    paid_cents: int


def list_lines(batches: Collection[Batch]) -> list[BatchLine]:
    """Batches with their size and what was paid; two queries, however many there are."""
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
    """Those of a study, the latest first."""
    batches = Batch.objects.filter(study=study).order_by("-pk")
    return batches.select_related("study", "entrance", "armed_by")


def tell_money(batch: Batch) -> Money:
    """What a batch has cost so far, and what it comes to if all its places are taken."""
    paid = batch.payments.settled().total_cents()
    spent = count_spent(batch)
    return Money(paid, spent.committed_cents - paid, spent.total_cents, batch.ceiling_cents)


def tally_hits(batch: Batch) -> list[HitTally]:
    """The HITs of a batch by state, in the order in which they pass through them."""
    hits = batch.hits.order_by().values_list("state")
    sizes = hits.annotate(all_hits=Count("pk"), all_places=Sum("n_places"))
    is_done = Q(assignment__submitted_at__isnull=False)
    visits = Visit.objects.current().filter(hit__batch=batch).order_by().values_list("hit__state")
    people = visits.annotate(
        under_way=Count("pk", filter=Q(standing="") & ~is_done),
        finished=Count("assignment", filter=is_done, distinct=True),
    )
    by_state = {state: counts for state, *counts in people}
    order = list(HitState)
    tallies = [
        HitTally(HitState(state), n_hits, n_places, *by_state.get(state, (0, 0)))
        for state, n_hits, n_places in sizes
    ]
    return sorted(tallies, key=lambda tally: order.index(tally.state))


def list_faults(batch: Batch) -> list[Fault]:
    """What went wrong with its HITs; some of it."""
    faulty = batch.hits.exclude(error="").select_related("questionnaire__block")
    return [Fault(hit, mask_text(hit.error)) for hit in faulty[:MOST_FAULTS]]


def tally_standings(batch: Batch) -> list[StandingTally]:
    """The visits of a batch by what is to be done about them."""
    visits = find_people(batch).order_by().values_list("standing")
    flagged = Q(has_wrong_code=True, standing=Standing.PAYABLE)
    counts = {
        standing: (n, n_flagged)
        for standing, n, n_flagged in visits.annotate(
            people=Count("pk"), flagged=Count("pk", filter=flagged)
        )
    }
    labels = [*Standing.choices, ("", UNDECIDED)]
    return [StandingTally(s, str(label), *counts[s]) for s, label in labels if s in counts]


def count_unpaid(batch: Batch) -> int:
    """Finished work that its HITs cannot pay, and that nobody has paid since."""
    return len(list_unpaid_work(batch))


def find_people(batch: Batch) -> QuerySet[Visit]:
    """Everybody who has come to a batch, or handed in there; the latest first."""
    return Visit.objects.filter(hit__batch=batch).order_by("-pk")


def narrow_people(visits: QuerySet[Visit], standing: str) -> QuerySet[Visit]:
    """Those who stand so; all where nothing is asked for."""
    match standing:
        case "":
            return visits
        case "none":
            return visits.filter(standing="")
        case "flagged":
            return visits.filter(standing=Standing.PAYABLE, has_wrong_code=True)
    return visits.filter(standing=standing)


def with_all(visits: QuerySet[Visit]) -> QuerySet[Visit]:
    """Visits with what a page tells of each: who came, what they did, and payments as `ledger`."""
    payments = Payment.objects.select_related("by").order_by("pk")
    return visits.select_related(
        "assignment__annotator", "assignment__study", "hit__questionnaire__block__study",
        "hit__batch", "entrance",
    ).prefetch_related(Prefetch("payments", payments, to_attr="ledger")).annotate(
        may_be_chosen=ExpressionWrapper(HAS_WORKED, output_field=BooleanField()),
    )  # fmt: skip


def may_have_bonus(visits: QuerySet[Visit]) -> QuerySet[Visit]:
    """Those whose work the provider reports as theirs, and which nobody has rejected."""
    return visits.filter(HAS_WORKED)


def find_ledger(batch: Batch) -> QuerySet[Payment]:
    """The lines of a batch, the latest first."""
    lines = batch.payments.order_by("-pk")
    return lines.select_related("by", "visit__assignment__annotator")


def sum_ledger(batch: Batch) -> dict[str, int]:
    """What was settled of each kind: a row of sums under the ledger."""
    settled = batch.payments.settled()
    kinds = {
        kind: Coalesce(Sum("amount_cents", filter=Q(kind=kind)), 0) for kind in PaymentKind.values
    }
    return settled.aggregate(**kinds, fees=Coalesce(Sum("fee_cents"), 0))
