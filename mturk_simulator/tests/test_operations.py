"""Limits of the service beyond its model, and operations without a test module."""

import pytest

from mturk_simulator.tests.stage import group_of, hit_values, publish, refused

DAY = 24 * 3600


@pytest.mark.parametrize(
    "changes",
    [
        {"MaxAssignments": 0},
        {"LifetimeInSeconds": 29},
        {"LifetimeInSeconds": 365 * DAY + 1},
        {"AssignmentDurationInSeconds": 29},
        {"AutoApprovalDelayInSeconds": 30 * DAY + 1},
        {"RequesterAnnotation": "k" * 256},
        {"Title": "t" * 129},
        {"Title": " "},
        {"Description": ""},
    ],
)
def test_values_out_of_range_are_refused(requester, changes):
    with refused("ParameterValidationError"):
        publish(requester, **changes)

    assert requester.list_hits()["HITs"] == []


def test_question_is_needed(requester):
    values = hit_values()
    del values["Question"]

    with refused("ParameterValidationError"):
        requester.create_hit(**values)


@pytest.mark.parametrize(
    "changes",
    [
        {"HITLayoutId": "3A"},
        {"AssignmentReviewPolicy": {"PolicyName": "ScoreMyKnownAnswers/2011-09-01"}},
    ],
)
def test_unsimulated_features_are_refused(requester, changes):
    with pytest.raises(requester.exceptions.ServiceFault, match="not simulated"):
        publish(requester, **changes)


def test_usual_values(requester):
    values = hit_values()
    for name in ("MaxAssignments", "AutoApprovalDelayInSeconds"):
        del values[name]

    hit = requester.create_hit(**values)["HIT"]

    assert (hit["MaxAssignments"], hit["AutoApprovalDelayInSeconds"]) == (1, 30 * DAY)
    assert "RequesterAnnotation" not in hit


def test_expiration_has_an_end_and_deleted_hits_none(simulator, requester):
    hit_id = publish(requester)
    with refused("ParameterValidationError"):
        requester.update_expiration_for_hit(HITId=hit_id, ExpireAt=simulator.in_hours(24 * 366))
    requester.update_expiration_for_hit(HITId=hit_id, ExpireAt=simulator.in_hours(-1))
    requester.delete_hit(HITId=hit_id)
    type_id = requester.get_hit(HITId=hit_id)["HIT"]["HITTypeId"]

    with refused("InvalidHITState"):
        requester.update_expiration_for_hit(HITId=hit_id, ExpireAt=simulator.in_hours(1))
    with refused("InvalidHITState"):
        requester.create_additional_assignments_for_hit(
            HITId=hit_id, NumberOfAdditionalAssignments=1
        )
    with refused("InvalidHITState"):
        requester.update_hit_type_of_hit(HITId=hit_id, HITTypeId=type_id)
    with refused("HITTypeDoesNotExist"):
        requester.update_hit_type_of_hit(HITId=publish(requester), HITTypeId="3NONE")


def test_reviewable_hits_are_found_by_their_type(simulator, requester):
    first, second = publish(requester), publish(requester, Title="Another")
    simulator.control.advance(DAY)
    type_id = requester.get_hit(HITId=second)["HIT"]["HITTypeId"]

    def found(**query):
        return [hit["HITId"] for hit in requester.list_reviewable_hits(**query)["HITs"]]

    assert found() == [first, second]
    assert found(HITTypeId=type_id) == [second]


def test_messages_go_to_the_outbox(simulator, requester, worker):
    stranger = simulator.worker()
    worker.accept(group_of(requester, publish(requester)))

    said = requester.notify_workers(
        Subject="Thanks & more",
        MessageText="Line 1\nLine 2",
        WorkerIds=[worker.worker_id, stranger.worker_id],
    )

    (failure,) = said["NotifyWorkersFailureStatuses"]
    assert failure["WorkerId"] == stranger.worker_id
    assert failure["NotifyWorkersFailureCode"] == "HardFailure"
    (message,) = simulator.control.outbox()
    assert (message["recipient"], message["body"]) == (worker.worker_id, "Line 1\nLine 2")
    page = simulator.browser.get(simulator.control_page("outbox/")).text
    assert "Thanks &amp; more" in page


@pytest.mark.parametrize(
    ("subject", "text", "n_workers"),
    [("s" * 201, "t", 1), ("s", "t" * 4_097, 1), ("", "t", 1), ("s", "t", 101)],
)
def test_messages_have_limits(requester, subject, text, n_workers):
    with refused("ParameterValidationError"):
        requester.notify_workers(Subject=subject, MessageText=text, WorkerIds=["A1"] * n_workers)


def test_notifications_are_stored_and_not_delivered(simulator, requester):
    type_id = requester.get_hit(HITId=publish(requester))["HIT"]["HITTypeId"]
    notification = {
        "Destination": "arn:aws:sqs:us-east-1:1:q",
        "Transport": "SQS",
        "Version": "2014-08-15",
        "EventTypes": ["AssignmentSubmitted"],
    }
    with refused("ParameterValidationError"):
        requester.update_notification_settings(HITTypeId=type_id)
    with refused("ParameterValidationError"):
        requester.update_notification_settings(HITTypeId=type_id, Active=True)
    with refused("HITTypeDoesNotExist"):
        requester.update_notification_settings(HITTypeId="3NONE", Active=True)

    requester.update_notification_settings(HITTypeId=type_id, Notification=notification)
    requester.update_notification_settings(HITTypeId=type_id, Active=True)
    requester.send_test_event_notification(Notification=notification, TestEventType="Ping")

    (kept,) = simulator.control.snapshot()["notification"]
    assert (kept["hit_type_id"], kept["is_active"]) == (type_id, 1)
    assert simulator.control.outbox()[0]["subject"] == "Test: Ping"


def test_bonus_is_refused_after_half_a_year(simulator, requester, worker):
    held = worker.accept(group_of(requester, publish(requester)))
    worker.submit(held.mturk_assignment_id, {"a": "b"})
    simulator.control.advance(180 * DAY + 1)

    with refused("ParameterValidationError", "too old"):
        requester.send_bonus(
            AssignmentId=held.mturk_assignment_id,
            WorkerId=worker.worker_id,
            BonusAmount="1",
            Reason="r",
        )
