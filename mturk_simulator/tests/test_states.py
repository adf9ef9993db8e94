"""Transitions of a HIT's states."""

from datetime import timedelta

import pytest

from mturk_simulator.client import CrowdRefused
from mturk_simulator.tests.stage import (
    group_of,
    hit_values,
    places,
    publish,
    refused,
    statuses,
    work_on,
)

HOUR, DAY = 3600, 24 * 3600


def expire(simulator, requester, hit_id: str) -> None:
    requester.update_expiration_for_hit(HITId=hit_id, ExpireAt=simulator.in_hours(-1))


def test_create(requester):
    hit = requester.create_hit(**hit_values(MaxAssignments=3, RequesterAnnotation="k"))["HIT"]

    assert places(requester, hit["HITId"]) == ("Assignable", 3, 0, 0)
    assert (hit["RequesterAnnotation"], hit["Reward"], hit["MaxAssignments"]) == ("k", "0.50", 3)
    assert hit["Expiration"] - hit["CreationTime"] == timedelta(days=1)


def test_accept(simulator, requester):
    hit_id = publish(requester, MaxAssignments=2)
    group_id = group_of(requester, hit_id)

    simulator.worker().accept(group_id)
    assert places(requester, hit_id) == ("Assignable", 1, 1, 0)
    simulator.worker().accept(group_id)
    assert places(requester, hit_id) == ("Unassignable", 0, 2, 0)
    with pytest.raises(CrowdRefused, match="no more"):
        simulator.worker().accept(group_id)
    assert statuses(requester, hit_id) == []  # accepted assignments are hidden


def test_accepted_assignment_is_hidden_from_its_requester(requester, worker):
    held = worker.accept(group_of(requester, publish(requester)))

    with refused("AssignmentDoesNotExist"):
        requester.get_assignment(AssignmentId=held.mturk_assignment_id)
    with refused("AssignmentDoesNotExist"):
        requester.approve_assignment(AssignmentId=held.mturk_assignment_id)


def test_return_frees_the_place_and_the_id(simulator, requester, worker):
    hit_id = publish(requester)
    group_id = group_of(requester, hit_id)
    held = worker.accept(group_id)

    worker.return_task(held.mturk_assignment_id)

    assert places(requester, hit_id) == ("Assignable", 1, 0, 0)
    again = worker.accept(group_id)  # the same worker may, and gets the same id
    assert again.mturk_assignment_id == held.mturk_assignment_id
    worker.return_task(held.mturk_assignment_id)
    other = simulator.worker()
    assert other.accept(group_id).mturk_assignment_id == held.mturk_assignment_id
    with pytest.raises(CrowdRefused, match="no longer hold"):
        worker.return_task(held.mturk_assignment_id)


def test_abandoned_work_frees_the_place_and_the_id(simulator, requester, worker):
    hit_id = publish(requester)
    held = worker.accept(group_of(requester, hit_id))

    simulator.control.advance(HOUR - 1)
    assert places(requester, hit_id) == ("Unassignable", 0, 1, 0)
    simulator.control.advance(1)

    assert places(requester, hit_id) == ("Assignable", 1, 0, 0)
    assert worker.list_history() == [(held.mturk_assignment_id, "abandoned")]
    other = simulator.worker().accept(group_of(requester, hit_id))
    assert other.mturk_assignment_id == held.mturk_assignment_id


def test_ids_are_not_reused_if_switched_off(simulator, requester, worker):
    simulator.control.change_settings(reuse_ids=False)
    group_id = group_of(requester, publish(requester))
    held = worker.accept(group_id)
    worker.return_task(held.mturk_assignment_id)

    assert worker.accept(group_id).mturk_assignment_id != held.mturk_assignment_id


def test_return_after_expiration_opens_nothing(simulator, requester, worker):
    hit_id = publish(requester)
    held = worker.accept(group_of(requester, hit_id))
    expire(simulator, requester, hit_id)

    assert places(requester, hit_id)[0] == "Unassignable"
    worker.return_task(held.mturk_assignment_id)

    assert places(requester, hit_id)[0] == "Reviewable"
    assert worker.list_groups() == []


def test_submit(simulator, requester, worker):
    hit_id = publish(requester, MaxAssignments=2)
    work_on(requester, worker, hit_id)
    assert places(requester, hit_id) == ("Assignable", 1, 0, 0)

    work_on(requester, simulator.worker(), hit_id)

    assert places(requester, hit_id) == ("Reviewable", 0, 0, 0)
    assert statuses(requester, hit_id) == ["Submitted", "Submitted"]
    (reviewable,) = requester.list_reviewable_hits()["HITs"]
    assert reviewable["HITId"] == hit_id


def test_submitted_assignment_is_described(simulator, requester, worker):
    hit_id = publish(requester)
    held = worker.accept(group_of(requester, hit_id))
    simulator.control.advance(60)
    worker.submit(held.mturk_assignment_id, {"completion_code": "C0DE"})

    answer = requester.get_assignment(AssignmentId=held.mturk_assignment_id)

    found = answer["Assignment"]
    assert answer["HIT"]["HITId"] == found["HITId"] == hit_id
    assert (found["WorkerId"], found["AssignmentStatus"]) == (worker.worker_id, "Submitted")
    assert found["SubmitTime"] - found["AcceptTime"] == timedelta(minutes=1)
    assert found["Deadline"] - found["AcceptTime"] == timedelta(hours=1)
    assert found["AutoApprovalTime"] - found["SubmitTime"] == timedelta(days=3)
    assert "<FreeText>C0DE</FreeText>" in found["Answer"]


def test_expiring_lets_accepted_work_finish(simulator, requester, worker):
    hit_id = publish(requester, MaxAssignments=2)
    group_id = group_of(requester, hit_id)
    held = worker.accept(group_id)

    expire(simulator, requester, hit_id)

    assert places(requester, hit_id) == ("Unassignable", 1, 1, 0)
    with pytest.raises(CrowdRefused, match="no more"):
        simulator.worker().accept(group_id)
    worker.submit(held.mturk_assignment_id, {"a": "b"})
    assert places(requester, hit_id) == ("Reviewable", 1, 0, 0)


def test_hit_expires_by_itself_and_opens_again(simulator, requester):
    hit_id = publish(requester)
    simulator.control.advance(DAY)
    assert places(requester, hit_id)[0] == "Reviewable"

    requester.update_expiration_for_hit(HITId=hit_id, ExpireAt=simulator.in_hours(24))

    assert places(requester, hit_id) == ("Assignable", 1, 0, 0)


def test_same_expiration_twice_was_processed_already(simulator, requester):
    hit_id = publish(requester)
    expire(simulator, requester, hit_id)

    with refused("DuplicateRequest", "has already been processed"):
        expire(simulator, requester, hit_id)

    assert places(requester, hit_id)[0] == "Reviewable"


def test_approve_and_reject_complete_and_change_no_state(simulator, requester, worker):
    hit_id = publish(requester, MaxAssignments=3)
    good = work_on(requester, worker, hit_id)
    bad = work_on(requester, simulator.worker(), hit_id)

    requester.approve_assignment(AssignmentId=good, RequesterFeedback="Thank you")
    requester.reject_assignment(AssignmentId=bad, RequesterFeedback="Copied")

    assert places(requester, hit_id) == ("Assignable", 1, 0, 2)  # a rejected place stays closed
    assert statuses(requester, hit_id) == ["Approved", "Rejected"]
    found = requester.get_assignment(AssignmentId=bad)["Assignment"]
    assert (found["RequesterFeedback"], "ApprovalTime" in found) == ("Copied", False)


def test_decisions_are_made_once(requester, worker):
    assignment_id = work_on(requester, worker, publish(requester))
    requester.approve_assignment(AssignmentId=assignment_id)

    with refused("InvalidAssignmentState"):
        requester.approve_assignment(AssignmentId=assignment_id)
    with refused("InvalidAssignmentState"):
        requester.reject_assignment(AssignmentId=assignment_id, RequesterFeedback="no")


def test_rejection_needs_feedback(requester, worker):
    hit_id = publish(requester)
    assignment_id = work_on(requester, worker, hit_id)

    with refused("ValidationException"):
        requester.reject_assignment(AssignmentId=assignment_id, RequesterFeedback=" ")

    assert statuses(requester, hit_id) == ["Submitted"]


def test_rejection_can_be_overridden_for_thirty_days(simulator, requester, worker):
    assignment_id = work_on(requester, worker, publish(requester))
    requester.reject_assignment(AssignmentId=assignment_id, RequesterFeedback="no")
    with refused("InvalidAssignmentState"):
        requester.approve_assignment(AssignmentId=assignment_id)
    simulator.control.advance(30 * DAY)

    requester.approve_assignment(AssignmentId=assignment_id, OverrideRejection=True)

    found = requester.get_assignment(AssignmentId=assignment_id)["Assignment"]
    assert (found["AssignmentStatus"], "RejectionTime" in found) == ("Approved", False)


@pytest.mark.parametrize("how", ["late", "deleted"])
def test_rejection_cannot_be_overridden_later(simulator, requester, worker, how):
    hit_id = publish(requester)
    assignment_id = work_on(requester, worker, hit_id)
    requester.reject_assignment(AssignmentId=assignment_id, RequesterFeedback="no")
    if how == "late":
        simulator.control.advance(30 * DAY + 1)
    else:
        requester.delete_hit(HITId=hit_id)

    with refused("InvalidAssignmentState"):
        requester.approve_assignment(AssignmentId=assignment_id, OverrideRejection=True)


def test_undecided_work_is_approved_when_due(simulator, requester, worker):
    hit_id = publish(requester)
    assignment_id = work_on(requester, worker, hit_id)
    simulator.control.advance(3 * DAY - 1)
    assert statuses(requester, hit_id) == ["Submitted"]

    simulator.control.advance(100)

    found = requester.get_assignment(AssignmentId=assignment_id)["Assignment"]
    assert found["AssignmentStatus"] == "Approved"
    assert found["ApprovalTime"] == found["AutoApprovalTime"]


def test_review_status_can_be_reverted(requester, worker):
    hit_id = publish(requester)
    with refused("InvalidHITState"):
        requester.update_hit_review_status(HITId=hit_id)
    work_on(requester, worker, hit_id)

    requester.update_hit_review_status(HITId=hit_id)
    assert places(requester, hit_id)[0] == "Reviewing"
    assert requester.list_reviewable_hits()["HITs"] == []
    assert len(requester.list_reviewable_hits(Status="Reviewing")["HITs"]) == 1
    requester.update_hit_review_status(HITId=hit_id, Revert=True)

    assert places(requester, hit_id)[0] == "Reviewable"


def test_delete_needs_everything_to_be_decided(requester, worker):
    hit_id = publish(requester)
    with refused("InvalidHITState"):
        requester.delete_hit(HITId=hit_id)
    assignment_id = work_on(requester, worker, hit_id)
    with refused("InvalidHITState"):
        requester.delete_hit(HITId=hit_id)
    requester.approve_assignment(AssignmentId=assignment_id)

    requester.delete_hit(HITId=hit_id)

    assert places(requester, hit_id)[0] == "Disposed"
    assert requester.list_hits()["HITs"] == []
    with refused("InvalidHITState"):
        requester.delete_hit(HITId=hit_id)


def test_unused_hits_vanish_after_120_days(simulator, requester):
    hit_id = publish(requester)
    simulator.control.advance(121 * DAY - 1)
    assert places(requester, hit_id)[0] == "Reviewable"

    simulator.control.advance(1)

    assert places(requester, hit_id)[0] == "Disposed"


def test_places_are_added_but_not_from_few_to_many(requester):
    few, many = publish(requester, MaxAssignments=8), publish(requester, MaxAssignments=10)

    requester.create_additional_assignments_for_hit(HITId=few, NumberOfAdditionalAssignments=1)
    with refused("InvalidMaximumAssignmentsIncrease"):
        requester.create_additional_assignments_for_hit(HITId=few, NumberOfAdditionalAssignments=1)
    requester.create_additional_assignments_for_hit(HITId=many, NumberOfAdditionalAssignments=5)

    assert (places(requester, few)[1], places(requester, many)[1]) == (9, 15)


def test_worker_has_one_place_of_a_hit(requester, worker):
    group_id = group_of(requester, publish(requester, MaxAssignments=9))
    held = worker.accept(group_id)
    with pytest.raises(CrowdRefused, match="no more"):
        worker.accept(group_id)
    worker.submit(held.mturk_assignment_id, {"a": "b"})

    assert worker.list_groups() == []
    with pytest.raises(CrowdRefused, match="no more"):
        worker.accept(group_id)


def test_worker_gets_the_next_hit_of_a_group(requester, worker):
    first, second = publish(requester), publish(requester)
    group_id = group_of(requester, first)
    assert group_of(requester, second) == group_id
    (group,) = worker.list_groups()
    assert group.n_places == 2

    worker.accept(group_id)
    worker.accept(group_id)

    assert (places(requester, first)[2], places(requester, second)[2]) == (1, 1)


def test_hit_gets_another_type(requester, worker):
    hit_id = publish(requester)
    better = {name: hit_values()[name] for name in ("Title", "AssignmentDurationInSeconds")}
    better["Description"] = "Better paid."
    type_id = requester.create_hit_type(**better, Reward="0.80")["HITTypeId"]

    requester.update_hit_type_of_hit(HITId=hit_id, HITTypeId=type_id)

    hit = requester.get_hit(HITId=hit_id)["HIT"]
    assert (hit["HITTypeId"], hit["Reward"]) == (type_id, "0.80")


def test_hit_type_of_the_same_values_is_the_same(requester):
    values = hit_values()
    names = ("Title", "Description", "AssignmentDurationInSeconds")
    same = {name: values[name] for name in names}

    first = requester.create_hit_type(**same, Reward="0.5")
    second = requester.create_hit_type(**same, Reward="0.50")
    third = requester.create_hit_type(**same, Reward="0.51")

    assert first["HITTypeId"] == second["HITTypeId"] != third["HITTypeId"]
