"""The control of the simulator, by page and by JSON."""

import re

import httpx
import pytest

from mturk_simulator.client import CrowdRefused
from mturk_simulator.doors.control import CHANGES, SHOWN
from mturk_simulator.tests.stage import balance, group_of, publish, statuses, work_on


def test_snapshot_restores_everything(simulator, requester, worker):
    hit_id = publish(requester)
    work_on(requester, worker, hit_id)
    kept = simulator.control.snapshot()
    simulator.control.reset()
    assert simulator.control.state()["n_hits"] == 0
    assert balance(requester) == ("10000.00", "0.00")

    simulator.control.restore(kept)

    assert statuses(requester, hit_id) == ["Submitted"]
    assert balance(requester) == ("9999.40", "0.60")
    assert worker.list_history()


@pytest.mark.parametrize("wrong", [{"hat": []}, {"worker": [{"hat": 1}]}, {"worker": 1}])
def test_invalid_snapshot_changes_nothing(simulator, requester, wrong):
    publish(requester)

    with pytest.raises(CrowdRefused):
        simulator.control.restore(wrong)

    assert simulator.control.state()["n_hits"] == 1


@pytest.mark.parametrize("body", [b"[" * 200_000, b"[" * 30 + b"]" * 30, b"{"])
def test_json_that_cannot_be_read_is_refused(simulator, body):
    answer = simulator.browser.post(
        f"{simulator.url}/control/clock/",
        content=body,
        headers={"Content-Type": "application/json", **simulator.control_headers},
    )

    assert answer.status_code == 400


def test_requests_are_counted_by_operation(simulator, requester, worker):
    assert simulator.control.counts() == {}
    work_on(requester, worker, publish(requester))

    assert simulator.control.counts() == {"CreateHIT": 1, "GetHIT": 1, "externalSubmit": 1}
    simulator.control.clear_counts()
    assert simulator.control.counts() == {}


def test_refused_requests_are_counted(simulator):
    with pytest.raises(Exception, match="InvalidSignature"):
        simulator.client(secret="another").list_hits()

    assert simulator.control.counts() == {"ListHITs": 1}


def test_clock_stops_and_advances(simulator):
    begun = simulator.control.state()["now"]
    simulator.control.advance(60)

    assert simulator.control.state()["now"] == begun + 60
    form(simulator, "clock/", is_stopped="no")
    state = simulator.control.state()
    assert not state["is_stopped"]
    assert begun + 60 < state["now"] < begun + 90


def form(simulator, path: str, **fields) -> httpx.Response:
    sent = {"token": simulator.token, **fields}
    return simulator.browser.post(f"{simulator.url}/control/{path}", data=sent)


def test_page_does_what_programs_do(simulator, requester):
    publish(requester)
    form(simulator, "balance/", requester="simulator", amount="12.50")
    form(simulator, "settings/", next_token="when_more", reuse_ids="no")
    form(simulator, "faults/", operation="GetHIT", kind="fail", n_calls="2", seconds="0")
    page = form(simulator, "clock/", seconds="3600")

    assert page.status_code == 200
    assert page.url.path == "/control/"
    assert "$11.90" in page.text
    assert "GetHIT: nothing is done, and 500 says so; next 2" in page.text
    state = simulator.control.state()
    assert (state["next_token"], state["reuse_ids"]) == ("when_more", False)
    form(simulator, "faults/clear/")
    assert simulator.control.state()["faults"] == []


@pytest.mark.parametrize(
    ("path", "fields"),
    [
        ("clock/", {"seconds": -1}),
        ("clock/", {"seconds": "soon"}),
        ("clock/", {"seconds": "nan"}),
        ("clock/", {"is_stopped": "perhaps"}),
        ("balance/", {"requester": "r", "amount": "much"}),
        ("balance/", {"requester": "r", "amount": "-1"}),
        ("balance/", {"requester": "r", "amount": "NaN"}),
        ("balance/", {"amount": "1"}),
        ("faults/", {"operation": "GetHat", "kind": "fail"}),
        ("faults/", {"operation": "GetHIT", "kind": "hat"}),
        ("faults/", {"operation": "GetHIT", "kind": "unseen", "seconds": 1}),
        ("faults/", {"operation": "GetHIT", "kind": "fail", "n_calls": 0.5}),
        ("settings/", {"next_token": "never"}),
        ("settings/", {"reuse_ids": ["no", "perhaps"]}),
        ("nowhere/", {}),
    ],
)
def test_wrong_values_are_refused(simulator, path, fields):
    before = simulator.control.state()

    address, headers = f"{simulator.url}/control/{path}", simulator.control_headers
    answer = simulator.browser.post(address, json=fields, headers=headers)

    assert answer.status_code in {400, 404}
    assert answer.json()["error"]
    assert form(simulator, path, **fields).status_code in {400, 404}
    assert simulator.control.state() == before


@pytest.mark.parametrize("body", ["{", "[]", "\udcff"])
def test_a_body_that_is_not_a_json_object_is_refused(simulator, body):
    answer = simulator.browser.post(
        f"{simulator.url}/control/reset/",
        content=body.encode("utf-8", "surrogateescape"),
        headers={"Content-Type": "application/json", **simulator.control_headers},
    )

    assert answer.status_code == 400


def test_control_is_not_under_the_api(simulator, requester, worker):
    requester.list_hits()

    page = simulator.browser.get(simulator.control_page()).text
    assert "ListHITs" in page
    assert worker.worker_id not in page
    assert group_of(requester, publish(requester)) not in page


CONTROLS = [("GET", path) for path in SHOWN] + [("POST", path) for path in CHANGES]


@pytest.mark.parametrize(
    "sent",
    [
        {},
        {"json": {}},
        {"json": {"token": "guessed"}},
        {"data": {"token": "guessed"}},
        {"headers": {"Authorization": "Bearer guessed", "Accept": "application/json"}},
        {"headers": {"Authorization": "Basic Z3Vlc3NlZA=="}},
    ],
)
def test_control_without_its_token_shows_and_changes_nothing(simulator, sent):
    """Like a webhook, or a page of another site in a browser of this machine."""
    simulator.worker()
    before = simulator.control.snapshot()

    for method, path in CONTROLS:
        answer = simulator.browser.request(method, f"{simulator.url}{path}", **sent)
        assert (path, answer.status_code) == (path, 403)
        assert simulator.token not in answer.text
        assert simulator.control.snapshot() == before


def test_pages_of_the_control_pass_the_token_on(simulator):
    page = simulator.browser.get(simulator.control_page()).text

    links = re.findall(r'href="(/control/[^"]*)"', page)
    assert len(links) == 2
    for link in links:
        assert simulator.browser.get(f"{simulator.url}{link}").status_code == 200
    assert simulator.token not in simulator.browser.get(simulator.url).text
    assert simulator.token not in simulator.browser.get(f"{simulator.url}/control/").text
