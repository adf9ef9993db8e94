"""Fees, holds and payments, to the cent."""

import pytest

from mturk_simulator.market.money import bonus_fee_cents, read_cents, reward_fee_cents
from mturk_simulator.tests.stage import balance, places, publish, refused, work_on

MASTERS = {"QualificationTypeId": "2F1QJWKUDD8XADTFD2Q0G6UTO95ALH", "Comparator": "Exists"}


@pytest.mark.parametrize(
    ("reward", "n_places", "fee"),
    [(1, 9, 1), (5, 9, 1), (12, 9, 2), (13, 9, 3), (50, 9, 10), (12, 10, 5), (50, 10, 20)],
)
def test_fee_is_that_of_the_price_list(reward, n_places, fee):
    assert reward_fee_cents(reward, n_places=n_places, is_for_masters=False) == fee


def test_fee_of_masters_and_of_bonuses():
    assert reward_fee_cents(100, n_places=9, is_for_masters=True) == 25
    assert reward_fee_cents(100, n_places=10, is_for_masters=True) == 45
    assert [bonus_fee_cents(cents) for cents in (1, 12, 13, 100)] == [1, 2, 3, 20]


@pytest.mark.parametrize(("amount", "cents"), [("0.5", 50), ("12", 1200), ("12.", 1200)])
def test_amounts_are_read_exactly(amount, cents):
    assert read_cents(amount) == cents
    assert read_cents("0.29") == 29  # a binary fraction would be 28


def test_hundred_places_cost_less_in_small_hits(requester):
    for n_places in [9] * 11 + [1]:
        publish(requester, MaxAssignments=n_places)
    assert balance(requester) == ("9940.00", "60.00")

    publish(requester, MaxAssignments=100)

    assert balance(requester) == ("9870.00", "130.00")


def test_masters_cost_more(requester):
    publish(requester, Reward="1.00", QualificationRequirements=[MASTERS])

    assert balance(requester) == ("9998.75", "1.25")


def test_hold_is_paid_or_released(simulator, requester, worker):
    hit_id = publish(requester, MaxAssignments=3)
    good = work_on(requester, worker, hit_id)
    bad = work_on(requester, simulator.worker(), hit_id)
    assert balance(requester) == ("9998.20", "1.80")

    requester.approve_assignment(AssignmentId=good)
    assert balance(requester) == ("9998.20", "1.20")
    requester.reject_assignment(AssignmentId=bad, RequesterFeedback="no")
    assert balance(requester) == ("9998.80", "0.60")
    simulator.control.advance(24 * 3600)  # it expires

    assert balance(requester) == ("9999.40", "0.00")


def test_automatic_approval_is_paid(simulator, requester, worker):
    work_on(requester, worker, publish(requester))

    simulator.control.advance(3 * 24 * 3600)

    assert balance(requester) == ("9999.40", "0.00")


def test_overridden_rejection_is_paid_and_needs_funds(simulator, requester, worker):
    assignment_id = work_on(requester, worker, publish(requester))
    requester.reject_assignment(AssignmentId=assignment_id, RequesterFeedback="no")
    simulator.control.set_balance("simulator", "0.59")
    with refused("InsufficientFunds"):
        requester.approve_assignment(AssignmentId=assignment_id, OverrideRejection=True)
    simulator.control.set_balance("simulator", "0.60")

    requester.approve_assignment(AssignmentId=assignment_id, OverrideRejection=True)

    assert balance(requester) == ("0.00", "0.00")


def test_bonus_is_paid_with_its_fee(requester, worker):
    hit_id = publish(requester)
    assignment_id = work_on(requester, worker, hit_id)
    requester.approve_assignment(AssignmentId=assignment_id)

    requester.send_bonus(
        AssignmentId=assignment_id, WorkerId=worker.worker_id, BonusAmount="0.13", Reason="grant 7"
    )

    assert balance(requester) == ("9999.24", "0.00")
    for of in ({"AssignmentId": assignment_id}, {"HITId": hit_id}):
        (bonus,) = requester.list_bonus_payments(**of)["BonusPayments"]
        assert bonus.pop("GrantTime")
        assert bonus == {
            "WorkerId": worker.worker_id,
            "BonusAmount": "0.13",
            "AssignmentId": assignment_id,
            "Reason": "grant 7",
        }


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"BonusAmount": "0"}, "ParameterValidationError"),
        ({"BonusAmount": "10000.01"}, "ParameterValidationError"),
        ({"Reason": " "}, "ParameterValidationError"),
        ({"WorkerId": "AOTHER"}, "ParameterValidationError"),
        ({"AssignmentId": "3NONE"}, "AssignmentDoesNotExist"),
        ({"BonusAmount": "9999"}, "InsufficientFunds"),
    ],
)
def test_bonus_is_refused(requester, worker, changes, code):
    assignment_id = work_on(requester, worker, publish(requester))
    values = {
        "AssignmentId": assignment_id,
        "WorkerId": worker.worker_id,
        "BonusAmount": "1",
        "Reason": "r",
    }
    with refused(code):
        requester.send_bonus(**{**values, **changes})

    assert requester.list_bonus_payments(AssignmentId=assignment_id)["BonusPayments"] == []
    assert balance(requester) == ("9999.40", "0.60")


def test_bonus_payments_are_of_a_hit_or_an_assignment(requester):
    for wrong in ({}, {"HITId": "3A", "AssignmentId": "3B"}):
        with refused("ParameterValidationError"):
            requester.list_bonus_payments(**wrong)


def test_a_hit_that_cannot_be_paid_is_not_published(simulator, requester):
    simulator.control.set_balance("simulator", "0.60")
    with refused("InsufficientFunds"):
        publish(requester, MaxAssignments=2)
    assert requester.list_hits()["HITs"] == []
    hit_id = publish(requester)

    with refused("InsufficientFunds"):
        requester.create_additional_assignments_for_hit(
            HITId=hit_id, NumberOfAdditionalAssignments=1
        )

    assert places(requester, hit_id) == ("Assignable", 1, 0, 0)
    assert balance(requester) == ("0.00", "0.60")


def test_extending_a_hit_holds_its_money_again(simulator, requester):
    hit_id = publish(requester)
    before = requester.get_hit(HITId=hit_id)["HIT"]["Expiration"]
    simulator.control.advance(25 * 3600)
    simulator.control.set_balance("simulator", "0.10")

    with refused("InsufficientFunds"):
        requester.update_expiration_for_hit(HITId=hit_id, ExpireAt=simulator.in_hours(1))

    assert requester.get_hit(HITId=hit_id)["HIT"]["Expiration"] == before
