"""Requirements to discover, preview and accept a task; grants of qualifications; blocks."""

import pytest

from mturk_simulator.client import CrowdRefused
from mturk_simulator.operations.requirements import (
    ADULT,
    APPROVAL_RATE,
    HITS_APPROVED,
    LOCALE,
    MASTERS,
)
from mturk_simulator.tests.stage import group_of, places, publish, refused, work_on

CLOSED = "DiscoverPreviewAndAccept"


def make_type(requester, name: str = "quality annotators", **changes) -> str:
    values = {"Name": name, "Description": "Do good work.", "QualificationTypeStatus": "Active"}
    made = requester.create_qualification_type(**{**values, **changes})
    return made["QualificationType"]["QualificationTypeId"]


def required(type_id: str, comparator: str, *values, guarded: str = CLOSED) -> dict:
    name = "LocaleValues" if type_id == LOCALE else "IntegerValues"
    requirement = {"QualificationTypeId": type_id, "Comparator": comparator}
    if values:
        requirement[name] = list(values)
    return {**requirement, "ActionsGuarded": guarded}


def may(worker, group_id: str) -> tuple[bool, bool, bool]:
    """Return whether a worker discovers, previews and accepts a task."""
    seen = [group for group in worker.list_groups() if group.group_id == group_id]
    assert not seen or seen[0].may_accept == is_allowed(worker.accept, group_id, undo=worker)
    discovers, previews = bool(seen), is_allowed(worker.preview, group_id)
    return discovers, previews, is_allowed(worker.accept, group_id, undo=worker)


def is_allowed(action, group_id: str, undo=None) -> bool:
    try:
        done = action(group_id)
    except CrowdRefused as answer:
        if answer.status != 403:
            raise
        return False
    if undo:
        undo.return_task(done.mturk_assignment_id)
    return True


@pytest.mark.parametrize(
    ("guarded", "allowed"),
    [
        ("Accept", (True, True, False)),
        ("PreviewAndAccept", (True, False, False)),
        (CLOSED, (False, False, False)),
    ],
)
def test_actions_are_guarded(requester, worker, guarded, allowed):
    type_id = make_type(requester)
    needs = required(type_id, "Exists", guarded=guarded)
    group_id = group_of(requester, publish(requester, QualificationRequirements=[needs]))
    assert may(worker, group_id) == allowed

    requester.associate_qualification_with_worker(
        QualificationTypeId=type_id, WorkerId=worker.worker_id, SendNotification=False
    )

    assert may(worker, group_id) == (True, True, True)


def test_unguarded_requirement_guards_accepting(requester, worker):
    needs = {"QualificationTypeId": make_type(requester), "Comparator": "Exists"}
    before = {**needs, "RequiredToPreview": True}
    group_id = group_of(requester, publish(requester, QualificationRequirements=[needs]))
    closed_id = group_of(requester, publish(requester, QualificationRequirements=[before]))

    assert may(worker, group_id) == (True, True, False)
    assert may(worker, closed_id) == (True, False, False)


@pytest.mark.parametrize(
    ("comparator", "values", "with_score", "without"),
    [
        ("Exists", [], True, False),
        ("DoesNotExist", [], False, True),
        ("EqualTo", [7], True, False),
        ("EqualTo", [8], False, False),
        ("NotEqualTo", [8], True, False),
        ("GreaterThan", [7], False, False),
        ("GreaterThanOrEqualTo", [7], True, False),
        ("LessThan", [8], True, False),
        ("LessThanOrEqualTo", [6], False, False),
        ("In", [1, 7], True, False),
        ("NotIn", [1, 7], False, False),
    ],
)
def test_scores_are_compared(requester, worker, comparator, values, with_score, without):
    type_id = make_type(requester)
    needs = required(type_id, comparator, *values)
    group_id = group_of(requester, publish(requester, QualificationRequirements=[needs]))
    assert is_allowed(worker.accept, group_id, undo=worker) == without

    requester.associate_qualification_with_worker(
        QualificationTypeId=type_id, WorkerId=worker.worker_id, IntegerValue=7
    )

    assert is_allowed(worker.accept, group_id, undo=worker) == with_score


@pytest.mark.parametrize(
    ("needs", "profile", "is_met"),
    [
        (required(LOCALE, "EqualTo", {"Country": "SI"}), {"country": "SI"}, True),
        (required(LOCALE, "NotEqualTo", {"Country": "SI"}), {"country": "SI"}, False),
        (required(LOCALE, "In", {"Country": "GB"}, {"Country": "US"}), {}, True),
        (required(LOCALE, "NotIn", {"Country": "GB"}, {"Country": "US"}), {}, False),
        (
            required(LOCALE, "EqualTo", {"Country": "US", "Subdivision": "NY"}),
            {"subdivision": "NY"},
            True,
        ),
        (required(LOCALE, "EqualTo", {"Country": "US", "Subdivision": "NY"}), {}, False),
        (required(APPROVAL_RATE, "GreaterThanOrEqualTo", 98), {"approval_rate": 98}, True),
        (required(APPROVAL_RATE, "GreaterThanOrEqualTo", 98), {"approval_rate": 97}, False),
        (
            required(APPROVAL_RATE, "EqualTo", 100),
            {"approval_rate": 50, "n_approved": 40},
            True,
        ),
        (required(HITS_APPROVED, "GreaterThan", 999), {"n_approved": 1_000}, True),
        (required(HITS_APPROVED, "GreaterThan", 999), {"n_approved": 999}, False),
        (required(ADULT, "EqualTo", 1), {"is_adult": True}, True),
        (required(ADULT, "EqualTo", 1), {"is_adult": False}, False),
        *((required(masters, "Exists"), {"is_master": True}, True) for masters in sorted(MASTERS)),
        *((required(masters, "Exists"), {}, False) for masters in sorted(MASTERS)),
    ],
)
def test_system_qualifications(simulator, requester, needs, profile, is_met):
    group_id = group_of(requester, publish(requester, QualificationRequirements=[needs]))

    assert may(simulator.worker(**profile), group_id) == (is_met,) * 3


def test_approval_rate_follows_decisions_here(simulator, requester):
    worker = simulator.worker(approval_rate=100, n_approved=99)
    strict = required(APPROVAL_RATE, "GreaterThanOrEqualTo", 99)
    group_id = group_of(requester, publish(requester, QualificationRequirements=[strict]))
    requester.reject_assignment(
        AssignmentId=work_on(requester, worker, publish(requester, Title="Another")),
        RequesterFeedback="no",
    )
    assert is_allowed(worker.accept, group_id, undo=worker)  # 99 of 100

    requester.reject_assignment(
        AssignmentId=work_on(requester, worker, publish(requester, Title="One more")),
        RequesterFeedback="no",
    )

    assert not is_allowed(worker.accept, group_id, undo=worker)  # 99 of 101


@pytest.mark.parametrize(
    ("requirements", "code"),
    [
        ([required(HITS_APPROVED, "GreaterThan", 1)] * 11, "ParameterValidationError"),
        ([required("3NONE", "Exists")], "QualificationTypeDoesNotExist"),
        ([required(HITS_APPROVED, "GreaterThan")], "ParameterValidationError"),
        ([required(HITS_APPROVED, "GreaterThan", 1, 2)], "ParameterValidationError"),
        ([required(HITS_APPROVED, "Exists", 1)], "ParameterValidationError"),
        ([required(HITS_APPROVED, "In")], "ParameterValidationError"),
        ([required(LOCALE, "GreaterThan", {"Country": "US"})], "ParameterValidationError"),
        ([{**required(LOCALE, "EqualTo"), "IntegerValues": [1]}], "ParameterValidationError"),
        ([required(HITS_APPROVED, "Above", 1)], "ValidationException"),
    ],
)
def test_requirements_that_cannot_be_checked_are_refused(requester, requirements, code):
    with refused(code):
        publish(requester, QualificationRequirements=requirements)


def test_blocked_worker_gets_no_task_of_that_requester(simulator, requester, worker):
    own, foreign = publish(requester), publish(simulator.client("another"))
    group_id = group_of(requester, own)
    requester.create_worker_block(WorkerId=worker.worker_id, Reason="tried")

    assert may(worker, group_id) == (False, False, False)
    assert may(worker, group_of(simulator.client("another"), foreign)) == (True, True, True)
    assert requester.list_worker_blocks()["WorkerBlocks"] == [
        {"WorkerId": worker.worker_id, "Reason": "tried"}
    ]
    requester.delete_worker_block(WorkerId=worker.worker_id)
    assert may(worker, group_id) == (True, True, True)
    with refused("WorkerBlockDoesNotExist"):
        requester.delete_worker_block(WorkerId=worker.worker_id)


def test_names_are_taken_for_two_days_after_deletion(simulator, requester):
    type_id = make_type(requester)
    with refused("QualificationTypeAlreadyExists", "already created a QualificationType with this"):
        make_type(requester)
    requester.delete_qualification_type(QualificationTypeId=type_id)
    with refused("QualificationTypeDoesNotExist"):
        requester.get_qualification_type(QualificationTypeId=type_id)
    with refused("QualificationTypeAlreadyExists"):
        make_type(requester)

    simulator.control.advance(48 * 3600)

    assert make_type(requester) != type_id


def test_types_are_found_by_their_name(requester):
    type_id = make_type(requester)
    make_type(requester, "others", QualificationTypeStatus="Inactive")

    def names(**query):
        listed = requester.list_qualification_types(MustBeOwnedByCaller=True, **query)
        return [found["Name"] for found in listed["QualificationTypes"]]

    assert names(MustBeRequestable=False) == ["quality annotators", "others"]
    assert names(MustBeRequestable=False, Query="OTHER") == ["others"]
    assert names(MustBeRequestable=True) == ["quality annotators"]
    requester.update_qualification_type(QualificationTypeId=type_id, Description="Do better work.")
    found = requester.get_qualification_type(QualificationTypeId=type_id)["QualificationType"]
    assert (found["Name"], found["Description"]) == ("quality annotators", "Do better work.")


def test_scores_are_granted_changed_and_revoked(simulator, requester, worker):
    type_id = make_type(requester)
    of = {"QualificationTypeId": type_id, "WorkerId": worker.worker_id}
    with refused("QualificationDoesNotExist"):
        requester.get_qualification_score(**of)
    for score in (3, 4):
        requester.associate_qualification_with_worker(
            **of, IntegerValue=score, SendNotification=False
        )
    found = requester.get_qualification_score(**of)["Qualification"]
    assert (found["IntegerValue"], found["Status"]) == (4, "Granted")
    assert simulator.control.outbox() == []

    requester.disassociate_qualification_from_worker(**of)

    with refused("InvalidQualificationState"):
        requester.disassociate_qualification_from_worker(**of)
    listed = requester.list_workers_with_qualification_type
    assert listed(QualificationTypeId=type_id)["Qualifications"] == []
    assert listed(QualificationTypeId=type_id, Status="Revoked")["NumResults"] == 1
    with refused("WorkerDoesNotExist"):
        requester.associate_qualification_with_worker(
            QualificationTypeId=type_id, WorkerId="ANOBODY"
        )


def test_granting_notifies_the_worker_unless_switched_off(simulator, requester, worker):
    requester.associate_qualification_with_worker(
        QualificationTypeId=make_type(requester), WorkerId=worker.worker_id
    )

    (message,) = simulator.control.outbox()
    assert message["recipient"] == worker.worker_id
    assert "quality annotators" in message["subject"]


def test_workers_request_and_requesters_decide(simulator, requester, worker):
    type_id, other_id = make_type(requester), make_type(requester, "others")
    worker.request_qualification(type_id)
    worker.request_qualification(other_id)
    with pytest.raises(CrowdRefused, match="already"):
        worker.request_qualification(type_id)
    listed = requester.list_qualification_requests()["QualificationRequests"]
    first, second = (asked["QualificationRequestId"] for asked in listed)
    assert requester.list_qualification_requests(QualificationTypeId=other_id)["NumResults"] == 1

    requester.accept_qualification_request(QualificationRequestId=first, IntegerValue=5)
    requester.reject_qualification_request(QualificationRequestId=second, Reason="not now")

    score = requester.get_qualification_score(
        QualificationTypeId=type_id, WorkerId=worker.worker_id
    )
    assert score["Qualification"]["IntegerValue"] == 5
    assert requester.list_qualification_requests()["NumResults"] == 0
    assert simulator.control.outbox()[0]["body"] == "not now"
    with refused("QualificationRequestDoesNotExist"):
        requester.accept_qualification_request(QualificationRequestId=second)
    with pytest.raises(CrowdRefused, match="again"):
        worker.request_qualification(other_id)


def test_automatic_grants_are_immediate(simulator, requester, worker):
    type_id = make_type(requester, AutoGranted=True, AutoGrantedValue=2, RetryDelayInSeconds=60)
    of = {"QualificationTypeId": type_id, "WorkerId": worker.worker_id}

    worker.request_qualification(type_id)
    assert requester.get_qualification_score(**of)["Qualification"]["IntegerValue"] == 2
    requester.disassociate_qualification_from_worker(**of)
    with pytest.raises(CrowdRefused, match="again now"):
        worker.request_qualification(type_id)
    simulator.control.advance(60)
    worker.request_qualification(type_id)

    assert requester.get_qualification_score(**of)["Qualification"]["Status"] == "Granted"


@pytest.mark.parametrize(
    "changes",
    [
        {"AnswerKey": "k"},
        {"Test": "t"},
        {"Test": "t", "TestDurationInSeconds": 60, "AutoGranted": True},
        {"Name": "x" * 201},
    ],
)
def test_invalid_types_are_refused(requester, changes):
    with refused("ParameterValidationError"):
        make_type(requester, **changes)


def test_deleted_type_is_granted_to_no_worker(requester, worker):
    type_id = make_type(requester)
    requester.associate_qualification_with_worker(
        QualificationTypeId=type_id, WorkerId=worker.worker_id, SendNotification=False
    )
    needs = [required(type_id, "Exists")]
    hit_id = publish(requester, QualificationRequirements=needs)
    found = requester.list_hits_for_qualification_type(QualificationTypeId=type_id)["HITs"]
    assert [hit["HITId"] for hit in found] == [hit_id]

    requester.delete_qualification_type(QualificationTypeId=type_id)

    assert worker.list_groups() == []
    assert places(requester, hit_id)[0] == "Assignable"
