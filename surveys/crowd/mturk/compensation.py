"""Finished work that its HIT cannot pay → a HIT for its worker alone, with nothing to do in it."""

from django.contrib.auth.models import User
from django.db import transaction

from surveys.access.audit_log import record
from surveys.crowd.budget import lock_batch, refuse_unarmed
from surveys.crowd.ledger import list_unpaid_work
from surveys.errors import PaymentRefused
from surveys.models import Hit, HitState, Standing, Visit


@transaction.atomic
def plan_compensation(visit: Visit, *, by: User, reason: str) -> Hit:
    """Plan a HIT of one place by which a worker is paid what they earned; publishing creates it.

    Twice gives the same one. Its batch must be armed, also one that was stopped: with a ceiling
    that has room for it. Raises BatchRefused, PaymentRefused.
    """
    visit = Visit.objects.select_related("hit__batch__entrance", "worker").get(pk=visit.pk)
    if visit.hit is None or visit.standing != Standing.UNPAID:
        raise PaymentRefused(f"{visit} is no unpaid work of a HIT.")
    if visit.worker.is_digest:
        raise PaymentRefused("The id of this worker was dropped: pay them in another way.")
    if not by.pk or not reason.strip():
        raise PaymentRefused("Somebody decides this, and says why.")
    batch = lock_batch(visit.hit.batch)
    same_work = Hit.objects.filter(compensates__assignment=visit.assignment_id)
    if planned := same_work.exclude(state=HitState.CLOSED).first():
        return planned
    if visit not in list_unpaid_work(batch):
        raise PaymentRefused("This work was paid since.")
    refuse_unarmed(batch)
    hit = Hit(
        batch=batch, questionnaire=visit.hit.questionnaire, provider=batch.provider, n_places=1,
        compensates=visit,
    )  # fmt: skip
    hit.token = Hit.make_token(hit.key, hit.attempt)
    hit.save()
    record("compensation.planned", batch.study, str(visit), reason=reason)
    return hit
