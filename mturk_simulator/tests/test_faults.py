"""Simulated faults, and their effect on the real client."""

import httpx
import pytest
from botocore.exceptions import ConnectionClosedError, ReadTimeoutError

from mturk_simulator.client import CrowdRefused
from mturk_simulator.tests.stage import (
    balance,
    group_of,
    hit_values,
    places,
    publish,
    refused,
    statuses,
    work_on,
)

RETRYING = {"retries": {"mode": "standard", "total_max_attempts": 3}}


def n_hits(requester) -> int:
    return requester.list_hits()["NumResults"]


def test_nothing_is_done_when_it_fails_before(simulator, requester):
    simulator.control.queue_fault("CreateHIT", "fail")

    with refused("ServiceFault"):
        publish(requester)
    assert n_hits(requester) == 0
    publish(requester)

    assert n_hits(requester) == 1


def test_all_is_done_when_it_fails_after(simulator, requester):
    simulator.control.queue_fault("CreateHIT", "done_then_fail")

    with refused("ServiceFault"):
        publish(requester)

    assert n_hits(requester) == 1


def test_all_is_done_when_the_connection_is_cut(simulator, requester):
    simulator.control.queue_fault("CreateHIT", "done_then_cut")

    with pytest.raises(ConnectionClosedError):
        publish(requester)

    assert n_hits(requester) == 1


def test_nothing_is_done_when_throttled(simulator, requester):
    simulator.control.queue_fault("CreateHIT", "throttle")

    with refused("ThrottlingException", "Rate exceeded"):
        publish(requester)

    assert n_hits(requester) == 0


def test_all_is_done_when_the_answer_is_late(simulator, requester):
    simulator.control.queue_fault("CreateHIT", "slow", seconds=0.5)

    with pytest.raises(ReadTimeoutError):
        publish(simulator.client(read_timeout=0.1))

    assert n_hits(requester) == 1


@pytest.mark.parametrize("kind", ["fail", "throttle"])
def test_the_client_retries_and_succeeds_once(simulator, requester, kind):
    simulator.control.queue_fault("CreateHIT", kind, n_calls=2)

    publish(simulator.client(**RETRYING), UniqueRequestToken="t")

    assert n_hits(requester) == 1
    assert simulator.control.counts()["CreateHIT"] == 3


@pytest.mark.parametrize("kind", ["done_then_fail", "done_then_cut"])
@pytest.mark.parametrize("operation", ["CreateHIT", "CreateHITWithHITType"])
def test_a_token_keeps_a_lost_answer_from_making_two(simulator, requester, kind, operation):
    simulator.control.queue_fault(operation, kind)
    retrying = simulator.client(**RETRYING)

    with refused("HitAlreadyExists") as error:
        create(retrying, operation, UniqueRequestToken="t" * 64)

    (hit,) = requester.list_hits()["HITs"]
    assert hit["HITId"] in str(error.value)
    assert str(error.value).endswith(" s)")


@pytest.mark.parametrize("operation", ["CreateHIT", "CreateHITWithHITType"])
def test_without_a_token_a_lost_answer_makes_two(simulator, requester, operation):
    simulator.control.queue_fault(operation, "done_then_cut")

    create(simulator.client(**RETRYING), operation)

    assert n_hits(requester) == 2


def create(requester, operation: str, **changes) -> None:
    values = hit_values(**changes)
    if operation == "CreateHIT":
        requester.create_hit(**values)
        return
    of_type = {
        name: values.pop(name)
        for name in (
            "AutoApprovalDelayInSeconds", "AssignmentDurationInSeconds", "Reward", "Title",
            "Description",
        )
    }  # fmt: skip
    type_id = requester.create_hit_type(**of_type)["HITTypeId"]
    requester.create_hit_with_hit_type(HITTypeId=type_id, **values)


def test_tokens_live_for_a_day_and_for_their_operation(simulator, requester):
    publish(requester, UniqueRequestToken="t")
    create(requester, "CreateHITWithHITType", UniqueRequestToken="t")
    publish(simulator.client("another"), UniqueRequestToken="t")
    simulator.control.advance(24 * 3600 - 1)
    with refused("HitAlreadyExists"):
        publish(requester, UniqueRequestToken="t")

    simulator.control.advance(1)
    publish(requester, UniqueRequestToken="t")

    assert n_hits(requester) == 3


def test_lost_approval_was_made(simulator, requester, worker):
    hit_id = publish(requester)
    assignment_id = work_on(requester, worker, hit_id)
    simulator.control.queue_fault("ApproveAssignment", "done_then_cut")

    with refused("InvalidAssignmentState"):
        simulator.client(**RETRYING).approve_assignment(AssignmentId=assignment_id)

    assert statuses(requester, hit_id) == ["Approved"]
    assert balance(requester) == ("9999.40", "0.00")


def test_lost_bonus_is_paid_once_with_a_token(simulator, requester, worker):
    assignment_id = work_on(requester, worker, publish(requester))
    requester.approve_assignment(AssignmentId=assignment_id)
    bonus = {
        "AssignmentId": assignment_id,
        "WorkerId": worker.worker_id,
        "BonusAmount": "1.00",
        "Reason": "r",
    }
    retrying = simulator.client(**RETRYING)
    simulator.control.queue_fault("SendBonus", "done_then_cut", n_calls=2)

    with refused("DuplicateRequest"):
        retrying.send_bonus(**bonus, UniqueRequestToken="t")
    assert balance(requester)[0] == "9998.20"
    simulator.control.clear_faults()
    simulator.control.queue_fault("SendBonus", "done_then_cut")
    retrying.send_bonus(**bonus)

    assert requester.list_bonus_payments(AssignmentId=assignment_id)["NumResults"] == 3


def test_lost_expiration_was_made(simulator, requester):
    hit_id = publish(requester)
    simulator.control.queue_fault("UpdateExpirationForHIT", "done_then_fail")

    with refused("DuplicateRequest"):
        simulator.client(**RETRYING).update_expiration_for_hit(
            HITId=hit_id, ExpireAt=simulator.in_hours(-1)
        )

    assert places(requester, hit_id)[0] == "Reviewable"


def test_more_places_are_added_once_with_a_token(simulator, requester):
    hit_id = publish(requester)
    simulator.control.queue_fault("CreateAdditionalAssignmentsForHIT", "done_then_cut")

    with refused("DuplicateRequest"):
        simulator.client(**RETRYING).create_additional_assignments_for_hit(
            HITId=hit_id, NumberOfAdditionalAssignments=2, UniqueRequestToken="t"
        )

    assert places(requester, hit_id)[1] == 3


def test_new_submission_is_unseen_for_a_while(simulator, requester, worker):
    hit_id = publish(requester)
    simulator.control.queue_fault("externalSubmit", "unseen", seconds=60)
    assignment_id = work_on(requester, worker, hit_id)

    assert places(requester, hit_id)[0] == "Reviewable"
    assert statuses(requester, hit_id) == []
    for operation in (requester.get_assignment, requester.approve_assignment):
        with refused("AssignmentDoesNotExist"):
            operation(AssignmentId=assignment_id)
    simulator.control.advance(60)

    assert statuses(requester, hit_id) == ["Submitted"]


@pytest.mark.parametrize(("kind", "left"), [("fail", "accepted"), ("done_then_fail", "submitted")])
def test_submission_fails(simulator, requester, worker, kind, left):
    held = worker.accept(group_of(requester, publish(requester)))
    simulator.control.queue_fault("externalSubmit", kind)

    with pytest.raises(CrowdRefused, match="failed") as error:
        worker.submit(held.mturk_assignment_id, {"a": "b"})

    assert error.value.status == 500
    assert worker.list_history() == [(held.mturk_assignment_id, left)]


def test_submission_is_cut(simulator, requester, worker):
    held = worker.accept(group_of(requester, publish(requester)))
    simulator.control.queue_fault("externalSubmit", "done_then_cut")

    with pytest.raises(httpx.RemoteProtocolError):
        worker.submit(held.mturk_assignment_id, {"a": "b"})

    assert worker.list_history() == [(held.mturk_assignment_id, "submitted")]


def test_faults_are_of_one_operation_and_in_their_order(simulator, requester):
    simulator.control.queue_fault("GetHIT", "fail", n_calls=2)
    simulator.control.queue_fault("GetHIT", "throttle")
    hit_id = publish(requester)

    for code in ("ServiceFault", "ServiceFault", "ThrottlingException"):
        with refused(code):
            requester.get_hit(HITId=hit_id)

    assert requester.get_hit(HITId=hit_id)
    assert simulator.control.state()["faults"] == []
