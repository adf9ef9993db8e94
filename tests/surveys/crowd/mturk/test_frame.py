"""Pages that a worker site may frame, and their headers."""

import re
from typing import Any

import pytest
from django.urls import reverse

from surveys.crowd.models import Hit
from surveys.crowd.mturk.targets import is_foreign, list_enabled, submit_address
from tests.factories.arrivals import page, welcome
from tests.factories.batches import come, do

pytestmark = pytest.mark.django_db
SIMULATOR = "http://127.0.0.1:8800"


def directive(answer: Any, name: str) -> str:
    found = re.search(rf"(?:^|; ){name} ([^;]*)", answer["Content-Security-Policy"])
    return found[1] if found else ""


def framed_pages(hit: Hit) -> list[str]:
    enter = reverse("annotate:enter", args=[hit.reservation.token])
    assignment, visit = come(hit), do(hit, "A2OTHEROTHER", "3ASSIGNMENT2")
    return [
        enter,
        f"{enter}?assignmentId=3A&hitId={hit.hit_id}&workerId=A3NEWNEWNEW",
        f"{enter}?assignmentId=bad",  # refused
        page("next", assignment), page("instructions", assignment), page("practice", assignment),
        page("withdraw", assignment), page("thanks", visit.assignment),
    ]  # fmt: skip


def test_pages_of_workers_may_be_framed_by_enabled_targets_alone(client, hit):
    for address in framed_pages(hit):
        answer = client.get(address)

        assert directive(answer, "frame-ancestors") == SIMULATOR, address
        assert directive(answer, "form-action") == f"'self' {SIMULATOR}", address
        assert "X-Frame-Options" not in answer, address
        assert answer["Referrer-Policy"] == "same-origin", address
        assert "no-store" in answer["Cache-Control"], address


def test_pages_of_workers_set_no_cookie_and_vary_by_none(client, hit):
    for address in framed_pages(hit):
        answer = client.get(address)

        assert not answer.cookies, address
        assert "Cookie" not in answer.get("Vary", ""), address


def test_live_targets_may_frame_once_they_are_enabled(client, hit, settings):
    settings.MTURK_IS_LIVE = True

    answer = client.get(reverse("annotate:enter", args=[hit.reservation.token]))

    assert directive(answer, "frame-ancestors").split() == [
        SIMULATOR, "https://workersandbox.mturk.com", "https://worker.mturk.com",
    ]  # fmt: skip
    assert directive(answer, "form-action").split() == [
        "'self'", SIMULATOR, "https://workersandbox.mturk.com", "https://www.mturk.com",
    ]  # fmt: skip


def test_nothing_else_may_be_framed(client, hit):
    invitation = come(hit).annotator.invitation
    addresses = [
        reverse("annotate:index"), welcome(invitation), "/console/sign-in/", "/api/v1/", "/admin/",
        "/mturk/nothing/",
    ]  # fmt: skip
    for address in addresses:
        answer = client.get(address)

        assert answer["X-Frame-Options"] == "DENY", address


def test_without_a_target_nothing_is_framed(client, hit, settings):
    address = page("next", come(hit))
    settings.MTURK_SIMULATOR_URL = ""

    assert list_enabled() == []
    assert client.get(address)["X-Frame-Options"] == "DENY"


@pytest.mark.parametrize(
    ("target", "address"),
    [
        ("simulator", "http://127.0.0.1:8800/mturk/externalSubmit"),
        ("sandbox", "https://workersandbox.mturk.com/mturk/externalSubmit"),
        ("production", "https://www.mturk.com/mturk/externalSubmit"),
    ],
)
def test_each_target_has_its_own_submit_url(target, address):
    assert submit_address(target) == address


def test_a_foreign_address_is_never_ours():
    assert not is_foreign("production", "https://www.mturk.com/")
    assert not is_foreign("production", "")
    assert is_foreign("production", "https://workersandbox.mturk.com")
    assert is_foreign("production", "https://www.mturk.com.evil.example")
    assert is_foreign("production", "javascript:alert(1)")
