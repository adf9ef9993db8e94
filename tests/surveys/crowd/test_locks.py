"""Each action on paid crowds locks its rows."""

import pytest
from django.contrib.auth.models import User
from django.utils import timezone

from surveys.crowd.ledger import intend_reward
from surveys.models import ReconciliationResult, Visit
from tests.factories.batches import arm, claims_of, do, hand_in, plan, publish, report
from tests.factories.studies import make_study
from tests.surveys import locking

LOCKS = locking.read_table(
    ("surveys.crowd.budget", "Batch", "approve_budget withdraw_approval"),
    ("surveys.crowd.budget", "Batch", "begin_creating begin_recreating"),
    ("surveys.crowd.ledger", "Batch", "intend_reward intend_bonus grant_bonuses"),
    ("surveys.crowd.ledger", "Batch Payment", "begin_sending settle_payment"),
    ("surveys.crowd.ledger", "Batch Payment", "mark_payment_unknown refuse_payment"),
    ("surveys.crowd.ledger", "Batch Payment", "retry_payment record_outside_payment"),
    ("surveys.crowd.ledger", "Visit", "record_compensation"),
    ("surveys.crowd.mturk.arrival", "Study", "start_in_hit"),
    ("surveys.crowd.mturk.hits", "Study", "plan_batch drop_plan"),
    ("surveys.crowd.mturk.hits", "Study Hit", "close_hit"),
    ("surveys.crowd.mturk.hits", "Batch", "plan_compensation"),
    ("surveys.crowd.mturk.publish", "Batch", "_mark_live"),
    ("surveys.crowd.mturk.rejections", "Batch", "_release"),
    ("surveys.crowd.mturk.stop", "Batch", "_mark_stopped"),
    ("surveys.crowd.reconciliation", "Study", "reconcile reconcile_silence"),
)


def make_rows() -> locking.Rows:
    """Make a live batch with a payable visit, by the names of parameters."""
    user = User.objects.create_user("bea")
    study = make_study(4, block_size=2, ratings_per_context=4)
    hit = publish(arm(plan(study, 2), more_cents=500))[0]
    visit = hand_in(do(hit))
    payment = intend_reward(visit)
    Visit.objects.update(standing=ReconciliationResult.UNPAID)
    return {
        "user": user, "study": study, "hit": hit, "batch": hit.batch, "visit": visit, "by": user,
        "payment": payment, "entrance": visit.entrance, "report": report(visit),
        "reservation": hit.reservation, "typed_cents": 0, "ceiling_cents": 0, "amount_cents": 0,
        "until": timezone.now(), "grant_key": "key", "key": "key", "reason": "a reason",
        "chosen": [], "error": "an error", "claims": claims_of(hit), "target": "simulator",
        "places": {}, "remote": {"HITId": "3HIT", "HITTypeId": "3TYPE", "Expiration": None},
    }  # fmt: skip


@pytest.mark.every_database
@pytest.mark.django_db
@locking.needs_row_locks
def test_each_action_locks_its_rows():
    rows = make_rows()

    assert {case: locking.list_locked(case, rows) for case in LOCKS} == LOCKS


def test_each_action_that_locks_is_in_the_table():
    assert locking.find_missing(LOCKS, lambda name: name.startswith("surveys.crowd.")) == {}
