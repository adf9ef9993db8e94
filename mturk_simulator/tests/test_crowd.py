"""A worker's steps from the list of tasks to the earnings."""

import pytest

from mturk_simulator.client import CrowdRefused
from mturk_simulator.tests.stage import hit_values


def test_worker_takes_a_task_and_is_paid(simulator, requester, worker):
    hit = requester.create_hit(**hit_values(MaxAssignments=9))["HIT"]
    (group,) = worker.list_groups()
    assert group == (hit["HITGroupId"], "Similarity of words", 9, True)
    held = worker.accept(group.group_id)
    worker.submit(held.mturk_assignment_id, {"completion_code": "C0DE"})

    (found,) = requester.list_assignments_for_hit(HITId=hit["HITId"])["Assignments"]
    requester.approve_assignment(AssignmentId=found["AssignmentId"])
    requester.send_bonus(
        AssignmentId=held.mturk_assignment_id,
        WorkerId=worker.worker_id,
        BonusAmount="1",
        Reason="x",
    )

    assert worker.list_history() == [(held.mturk_assignment_id, "approved")]
    assert (
        "<strong>$1.50</strong>, of which $1.00"
        in simulator.browser.get(f"{simulator.url}/workers/{worker.worker_id}/history/").text
    )


def test_a_refusal_gives_its_reason(worker):
    with pytest.raises(CrowdRefused, match="no more of these HITs") as refused:
        worker.accept("3NONE")

    assert refused.value.status == 404
