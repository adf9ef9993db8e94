"""What a person decides to pay beyond what is owed anyway, or notes as paid elsewhere."""

from collections.abc import Collection

from django.contrib.auth.models import User
from django.db import transaction

from surveys.crowd.batch_summary import find_people, may_have_bonus
from surveys.crowd.budget import lock_batch
from surveys.crowd.ledger import intend_again, intend_bonus, record_outside
from surveys.errors import PaymentRefused
from surveys.models import Batch, Payment, PaymentKind, PaymentState, Standing, Visit


def find_chosen(batch: Batch, chosen: Collection[int]) -> list[Visit]:
    """The visits of a batch that somebody has chosen. Raises PaymentRefused unless all qualify."""
    visits = may_have_bonus(find_people(batch)).filter(pk__in=set(chosen))
    found = list(visits.select_related("hit", "entrance", "assignment__annotator", "worker"))
    if not chosen or len(found) < len(set(chosen)):
        raise PaymentRefused("Choose people who have finished and handed in, one or more.")
    return found


@transaction.atomic
def grant_bonuses(
    batch: Batch, chosen: Collection[int], key: str, amount_cents: int, *, by: User, reason: str
) -> list[Payment]:
    """The same bonus for each of the visits chosen, or for none; once for a key.

    Raises BatchRefused, CeilingReached, PaymentRefused.
    """
    lock_batch(batch)
    return [
        intend_bonus(visit, f"bonus:{key}:{visit.pk}", amount_cents, by=by, reason=reason)
        for visit in find_chosen(batch, chosen)
    ]


@transaction.atomic
def retry_refused(visit: Visit, *, by: User, reason: str) -> list[Payment]:
    """Let what the provider refused to pay for a visit be sent again.

    Raises BatchRefused, CeilingReached, and PaymentRefused where nothing was refused.
    """
    refused = visit.payments.filter(state=PaymentState.REFUSED).order_by("pk")
    tried = [intend_again(payment, by=by, reason=reason) for payment in refused]
    if not tried:
        raise PaymentRefused("No payment to them was refused.")
    return tried


@transaction.atomic
def note_compensation(visit: Visit, amount_cents: int, *, by: User, reason: str) -> Payment:
    """Note that unpaid work was paid by hand, outside of its HIT. Raises PaymentRefused."""
    visit = Visit.objects.select_for_update(of=("self",), no_key=True).get(pk=visit.pk)
    if visit.standing != Standing.UNPAID:
        raise PaymentRefused("Only finished work that its HIT cannot pay is noted so.")
    return record_outside(
        visit, kind=PaymentKind.COMPENSATION, amount_cents=amount_cents, by=by, reason=reason
    )
