"""Guards against accidental spending, whatever the configuration of the machine is."""

import socket
from datetime import timedelta

import pytest
from django.db import transaction
from django.utils import timezone

from mturk_simulator.tests.stage import hit_values, question
from surveys.crowd.errors import TargetBusy, TargetRefused
from surveys.crowd.mturk import gateway as gateways
from surveys.crowd.mturk.gateway import open_gateway
from surveys.crowd.mturk.steps import exclusive_lock
from surveys.crowd.mturk.targets import find_target
from surveys.errors import GatewayDown, GatewayRefused

pytestmark = pytest.mark.django_db
HIT_TYPE = {
    "AssignmentDurationInSeconds": 3600, "Reward": "0.50", "Title": "Words", "Description": "Two.",
}  # fmt: skip


@pytest.fixture
def live_targets(settings):
    """Enable the live targets by all three settings."""
    settings.MTURK_IS_LIVE = True
    settings.MTURK_LIVE_KEYS = ["AKIDEXAMPLE", "secret"]


def test_the_simulator_is_called_with_its_own_keys(platform):
    assert open_gateway("simulator").call("get_account_balance")["AvailableBalance"] == "10000.00"


@pytest.mark.parametrize("name", ["AWS_ENDPOINT_URL", "AWS_ENDPOINT_URL_MTURK", "HTTP_PROXY"])
def test_an_address_in_the_environment_changes_nothing(platform, monkeypatch, name):
    monkeypatch.setenv(name, "http://127.0.0.1:9")
    monkeypatch.setenv("AWS_PROFILE", "other")

    open_gateway("simulator").call("get_account_balance")

    assert platform.control.counts() == {"GetAccountBalance": 1}


@pytest.mark.parametrize("provider", ["sandbox", "production"])
def test_a_live_target_is_disabled_unless_it_is_allowed(provider):
    with pytest.raises(TargetRefused, match="MTURK_LIVE_KEYS"):
        open_gateway(provider)


@pytest.mark.parametrize("provider", ["link", "prolific"])
def test_a_provider_that_is_not_a_target_is_refused(provider):
    with pytest.raises(TargetRefused, match="is not a target"):
        open_gateway(provider)


@pytest.mark.parametrize("url", ["http://192.0.2.7:8800", "https://127.0.0.1:8800"])
def test_the_simulator_must_be_on_this_machine(settings, url):
    settings.MTURK_SIMULATOR_URL = url

    with pytest.raises(TargetRefused, match="on this machine"):
        open_gateway("simulator")


def test_a_request_for_another_host_is_stopped_before_any_traffic(live_targets, monkeypatch):
    """The last guard, against our own errors: here a client that was made for production."""
    sent = []
    monkeypatch.setattr("botocore.httpsession.URLLib3Session.send", lambda *a: sent.append(a))
    production = find_target("production")
    client = gateways.make_client(production, "AKIDEXAMPLE", "secret")
    client.meta.events.register_first(
        "before-send.mturk.*", lambda request, **_: setattr(request, "url", "https://example.org/")
    )

    with pytest.raises(GatewayRefused, match=r"went to example\.org"):
        gateways.Gateway(production, client).call("get_account_balance")

    assert sent == []


def test_production_is_refused_by_the_guard_of_another_target(live_targets, monkeypatch):
    sent = []
    monkeypatch.setattr("botocore.httpsession.URLLib3Session.send", lambda *a: sent.append(a))
    client = gateways.make_client(find_target("production"), "AKIDEXAMPLE", "secret")
    gateways.register_guards(find_target("simulator"), client)

    with pytest.raises(GatewayRefused, match="mturk-requester"):
        gateways.Gateway(find_target("simulator"), client).call("get_account_balance")

    assert sent == []


def test_tests_only_reach_this_machine():
    with pytest.raises(OSError, match="left this machine"):
        socket.create_connection(("192.0.2.7", 443))


@pytest.mark.parametrize(
    ("operation", "arguments", "message"),
    [
        ("create_hit", hit_values(), "never called"),
        (
            "create_additional_assignments_for_hit",
            {"HITId": "3A", "NumberOfAdditionalAssignments": 1}, "never called",
        ),
        ("create_worker_block", {"WorkerId": "A1", "Reason": "no"}, "never called"),
        ("create_hit_type", {**HIT_TYPE, "Reward": "20.01"}, r"at most 20\.00"),
        ("create_hit_type", {**HIT_TYPE, "Reward": "much"}, "written as text"),
        (
            "create_hit_with_hit_type",
            {"HITTypeId": "3A", "MaxAssignments": 10, "LifetimeInSeconds": 60}, "1 to 9 places",
        ),
        (
            "create_hit_with_hit_type",
            {"HITTypeId": "3A", "LifetimeInSeconds": 60, "Question": question()}, "1 to 9 places",
        ),
        (
            "update_expiration_for_hit",
            {"HITId": "3A", "ExpireAt": timezone.now() + timedelta(hours=1)}, "only shorten",
        ),
        ("get_hit", {"HIT": "3A"}, "Unknown parameter"),
    ],
)  # fmt: skip
def test_arguments_are_refused_before_a_request_exists(platform, operation, arguments, message):
    with pytest.raises(GatewayRefused, match=message):
        open_gateway("simulator").call(operation, **arguments)

    assert platform.control.counts() == {}


def test_a_refusal_of_the_target_is_shown_without_workers(platform):
    with pytest.raises(GatewayRefused, match="MTurk simulator says: Worker … does not exist"):
        open_gateway("simulator").call(
            "associate_qualification_with_worker", WorkerId="A1PLANTEDWORKER", IntegerValue=1,
            SendNotification=False, QualificationTypeId=_qualification_type(),
        )  # fmt: skip


def _qualification_type() -> str:
    made = open_gateway("simulator").call(
        "create_qualification_type", Name="n", Description="d", QualificationTypeStatus="Active"
    )
    return str(made["QualificationType"]["QualificationTypeId"])


@pytest.mark.parametrize("kind", ["fail", "throttle", "done_then_cut"])
def test_a_target_that_fails_three_times_is_down(platform, kind):
    platform.control.queue_fault("GetAccountBalance", kind, n_calls=3)
    gateway = open_gateway("simulator")

    with pytest.raises(GatewayDown):
        gateway.call("get_account_balance")

    assert platform.control.counts() == {"GetAccountBalance": 3}
    gateway.call("get_account_balance")


def test_an_unreachable_target_is_down(settings):
    settings.MTURK_SIMULATOR_URL = "http://127.0.0.1:9"

    with pytest.raises(GatewayDown, match="cannot be reached"):
        open_gateway("simulator").call("get_account_balance")


@pytest.mark.every_database
@pytest.mark.django_db(transaction=True)
def test_nothing_is_called_within_a_transaction(platform):
    with pytest.raises(RuntimeError, match="durable"), transaction.atomic():
        open_gateway("simulator").call("get_account_balance")

    assert platform.control.counts() == {}


@pytest.mark.every_database
def test_one_process_at_a_time_works_at_a_target():
    with exclusive_lock("publishing", "simulator"), exclusive_lock("paying", "simulator"):
        with exclusive_lock("publishing", "sandbox"):
            pass
        with (
            pytest.raises(TargetBusy, match="is publishing at simulator"),
            exclusive_lock("publishing", "simulator"),
        ):
            pass

    for _ in range(20):
        with exclusive_lock("publishing", "simulator"):
            pass
