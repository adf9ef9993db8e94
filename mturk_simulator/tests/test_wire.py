"""Parsing of requests and writing of answers, which use botocore's internals."""

import json
from datetime import UTC, datetime

import httpx
import pytest
from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials
from botocore.exceptions import ParamValidationError

from mturk_simulator.http import wire
from mturk_simulator.http.messages import Request
from mturk_simulator.refusals import (
    Failed,
    Invalid,
    Refused,
    UnknownOperation,
    Unreadable,
    Unsigned,
    WronglySigned,
)
from mturk_simulator.tests.stage import hit_values, publish, refused

TARGET = "MTurkRequesterServiceV20170117"


def test_step_1_operation_is_named_by_its_target():
    assert len(wire.service().operation_names) == 39
    assert wire.name_operation({"x-amz-target": f"{TARGET}.GetHIT"}) == "GetHIT"
    for target in ("", "GetHIT", f"{TARGET}.GetHat", "Other.GetHIT"):
        with pytest.raises(UnknownOperation):
            wire.name_operation({"x-amz-target": target})


@pytest.mark.parametrize(
    ("operation", "given", "says"),
    [
        ("GetHIT", {}, "Missing required parameter"),
        ("GetHIT", {"HITId": "3A", "Hat": 1}, "Unknown parameter"),
        ("GetHIT", {"HITId": 3}, "Invalid type"),
        ("GetHIT", {"HITId": None}, "Invalid type"),
        ("GetHIT", ["HITId"], "Invalid type"),
        ("GetHIT", {"HITId": ""}, "Invalid length"),
        ("GetHIT", {"HITId": "x"}, "HITId: does not match"),
        ("GetHIT", {"HITId": "3A\n"}, "HITId: does not match"),
        ("GetHIT", {"HITId": "3" * 65}, "HITId: more than 64"),
        ("ListHITs", {"MaxResults": 101}, "MaxResults: more than 100"),
        ("ListHITs", {"MaxResults": 0}, "valid min value"),
        ("ListHITs", {"MaxResults": True}, "MaxResults: True is not a number"),
        ("CreateHIT", hit_values(MaxAssignments=2**31), "MaxAssignments: more than"),
        ("CreateHIT", hit_values(LifetimeInSeconds=-(2**63)), "LifetimeInSeconds: more than"),
        ("UpdateExpirationForHIT", {"HITId": "3A", "ExpireAt": "soon"}, "Invalid type"),
        ("UpdateExpirationForHIT", {"HITId": "3A", "ExpireAt": 1e30}, "1e\\+30"),
        ("UpdateExpirationForHIT", {"HITId": "3A", "ExpireAt": float("nan")}, "ExpireAt"),
        ("CreateHITType", hit_values(Reward="0.505"), "Unknown parameter"),
        ("CreateHIT", hit_values(Reward="0.505"), "Reward: does not match"),
        ("CreateHIT", hit_values(Reward="-1"), "Reward: does not match"),
        ("CreateHIT", hit_values(UniqueRequestToken="t" * 65), "UniqueRequestToken: more than 64"),
        ("ListAssignmentsForHIT", {"HITId": "3A", "AssignmentStatuses": ["Done"]}, "not one of Su"),
        ("ApproveAssignment", {"AssignmentId": "3A", "OverrideRejection": "yes"}, "Invalid type"),
    ],
)  # fmt: skip
def test_step_2_forbidden_values_are_refused(operation, given, says):
    with pytest.raises(Invalid, match=says):
        wire.read_arguments(operation, json.dumps(given).encode())


def test_step_2_nested_values_are_checked():
    country = [{"Country": "USA"}]
    required = {"QualificationTypeId": "3A", "Comparator": "EqualTo", "LocaleValues": country}
    values = hit_values(QualificationRequirements=[required])

    with pytest.raises(Invalid, match=r"QualificationRequirements\[0\].LocaleValues\[0\].Country"):
        wire.read_arguments("CreateHIT", json.dumps(values).encode())


@pytest.mark.parametrize("body", [b"{", b"\xff", b'{"HITId": "\\ud800"}'])
def test_step_2_a_body_that_is_not_json_is_refused(body):
    with pytest.raises(Unreadable):
        wire.read_arguments("GetHIT", body)


def test_step_3_arguments_have_their_types():
    body = b'{"HITId": "3A", "ExpireAt": 1790000000.5}'

    assert wire.read_arguments("UpdateExpirationForHIT", body) == {
        "HITId": "3A",
        "ExpireAt": datetime.fromtimestamp(1790000000.5, UTC),
    }
    assert wire.read_arguments("GetAccountBalance", b"") == {}


def test_step_4_answers_are_written_as_the_model_says():
    hit = {"HITId": "3A", "CreationTime": datetime(2026, 9, 21, tzinfo=UTC)}

    assert json.loads(wire.write_answer("GetHIT", {"HIT": hit})) == {
        "HIT": {"HITId": "3A", "CreationTime": 1789948800}
    }
    assert wire.write_answer("DeleteHIT", {}) == b"{}"


@pytest.mark.parametrize("answer", [{"Hat": 1}, {"HIT": {"HITId": None}}, {"HIT": {"Title": 1}}])
def test_step_4_answers_that_the_model_does_not_know_fail(answer):
    with pytest.raises(ParamValidationError):
        wire.write_answer("GetHIT", answer)


def test_step_5_errors_have_a_type_a_message_and_a_code():
    assert json.loads(wire.write_refusal(Refused("No.", "HITDoesNotExist"))) == {
        "__type": "RequestError",
        "Message": "No.",
        "TurkErrorCode": "AWS.MechanicalTurk.HITDoesNotExist",
    }
    assert json.loads(wire.write_refusal(Invalid("No."))) == {
        "__type": "ValidationException",
        "Message": "No.",
    }
    assert (Refused.status, Failed.status) == (400, 500)


def test_step_5_the_client_raises_the_errors_of_the_model(requester):
    with pytest.raises(requester.exceptions.RequestError) as error:
        requester.get_hit(HITId="3NONE")

    assert error.value.response["TurkErrorCode"] == "AWS.MechanicalTurk.HITDoesNotExist"
    assert error.value.response["Error"]["Message"].endswith(" s)")
    assert error.value.response["ResponseMetadata"]["RequestId"]


def test_step_5_an_unsimulated_operation_is_a_service_fault(requester):
    with pytest.raises(requester.exceptions.ServiceFault) as error:
        requester.get_file_upload_url(AssignmentId="3A", QuestionIdentifier="q")
    assert error.value.response["ResponseMetadata"]["HTTPStatusCode"] == 501
    with pytest.raises(requester.exceptions.ServiceFault):
        requester.list_review_policy_results_for_hit(HITId="3A")


def test_step_5_values_against_the_model_are_plain_client_errors(requester):
    with refused("ValidationException"):
        requester.get_hit(HITId="x")
    with refused("ValidationException"):
        requester.list_hits(MaxResults=101)
    with refused("ValidationException"):
        requester.create_hit(**hit_values(Reward="0.505"))


def signed(url: str, body: bytes = b"{}", *, region="us-east-1", service="mturk-requester"):
    """Return a request signed by botocore."""
    request = AWSRequest(
        method="POST",
        url=url,
        data=body,
        headers={
            "X-Amz-Target": f"{TARGET}.GetAccountBalance",
            "Content-Type": wire.CONTENT_TYPE,
        },
    )
    SigV4Auth(Credentials("someone", wire.SECRET_KEY), service, region).add_auth(request)
    headers = {name.lower(): value for name, value in request.headers.items()}
    return {"host": url.split("/")[2], **headers}


def as_request(url: str, headers: dict[str, str], body: bytes = b"{}") -> Request:
    origin = url.removesuffix("/")
    return Request("POST", "/", query="", headers=headers, body=body, origin=origin)


def test_step_6_signature_identifies_the_requester(simulator):
    url = f"{simulator.url}/"
    headers = signed(url)

    assert wire.identify_requester(as_request(url, headers)) == "someone"
    assert httpx.post(url, content=b"{}", headers=headers).json() == {
        "AvailableBalance": "10000.00",
        "OnHoldBalance": "0.00",
    }


def test_step_6_changed_requests_are_refused():
    url = "http://127.0.0.1:1/"
    headers = signed(url)
    other_target = {**headers, "x-amz-target": f"{TARGET}.DeleteHIT"}
    for changed, body in ((headers, b'{"a":1}'), (other_target, b"{}")):
        with pytest.raises(WronglySigned, match="secret key"):
            wire.identify_requester(as_request(url, changed, body))
    for scope in ({"region": "sandbox"}, {"service": "mturk"}):
        with pytest.raises(WronglySigned, match="us-east-1"):
            wire.identify_requester(as_request(url, signed(url, **scope)))
    for unsigned in ({}, {**headers, "authorization": "Basic x"}):
        with pytest.raises(Unsigned):
            wire.identify_requester(as_request(url, unsigned))


def test_step_6_wrong_secret_is_refused(simulator):
    with refused("InvalidSignatureException"):
        simulator.client(secret="another").create_hit(**hit_values())

    assert simulator.control.state()["n_hits"] == 0


def test_requesters_do_not_see_each_other(simulator, requester, worker):
    hit_id = publish(requester)
    held = worker.accept(requester.get_hit(HITId=hit_id)["HIT"]["HITGroupId"])
    worker.submit(held.mturk_assignment_id, {"a": "b"})
    made = requester.create_qualification_type(
        Name="q", Description="q", QualificationTypeStatus="Active"
    )["QualificationType"]
    other = simulator.client("another")

    assert other.list_hits()["HITs"] == []
    assert other.list_qualification_types(MustBeRequestable=False)["QualificationTypes"] == []
    assert other.get_account_balance()["OnHoldBalance"] == "0.00"
    with refused("HITDoesNotExist"):
        other.get_hit(HITId=hit_id)
    with refused("AssignmentDoesNotExist"):
        other.approve_assignment(AssignmentId=held.mturk_assignment_id)
    with refused("QualificationTypeDoesNotExist"):
        other.get_qualification_type(QualificationTypeId=made["QualificationTypeId"])


def test_every_operation_of_the_specification_is_simulated():
    from mturk_simulator.market.market import OPERATIONS

    left_out = {"GetFileUploadURL", "ListReviewPolicyResultsForHIT"}
    assert set(wire.service().operation_names) - set(OPERATIONS) == left_out
