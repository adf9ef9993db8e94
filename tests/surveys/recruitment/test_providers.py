"""Identifiers of arrivals, and completion addresses."""

import pytest

from surveys.errors import ArrivalRefused, SettingRefused
from surveys.models import Provider
from surveys.recruitment.providers import Claims, completion_address, read_claims, rules_of


@pytest.mark.parametrize("value", ["5f1a", "A" * 64, "a_b-C9"])
def test_read_claims_accepts_identifiers(value):
    claims = read_claims(
        "prolific", {"PROLIFIC_PID": value, "STUDY_ID": "st", "SESSION_ID": "se", "other": "x"}
    )

    assert claims == Claims(
        parameters={"STUDY_ID": "st", "SESSION_ID": "se", "PROLIFIC_PID": value},
        provider_study="st",
        submission="se",
        worker_id=value,
    )


@pytest.mark.parametrize(
    "value", ["", "A" * 65, "a b", "a\n", "a\0", "ž", "٣", "{{%PROLIFIC_PID%}}", "<b>", "a'--"]
)
def test_read_claims_refuses_malformed_identifiers(value):
    with pytest.raises(ArrivalRefused, match="did not pass on your ID \\(PROLIFIC_PID\\)"):
        read_claims("prolific", {"PROLIFIC_PID": value, "STUDY_ID": "st", "SESSION_ID": "se"})


def test_read_claims_names_everything_that_is_missing():
    with pytest.raises(ArrivalRefused, match="\\(STUDY_ID, SESSION_ID, PROLIFIC_PID\\)"):
        read_claims("prolific", {})


def test_read_claims_of_the_open_link_are_none():
    assert read_claims(Provider.LINK, {"PROLIFIC_PID": "w1"}) is None


@pytest.mark.parametrize(
    ("provider", "code", "address"),
    [
        ("prolific", "C1", "https://app.prolific.com/submissions/complete?cc=C1"),
        ("prolific", "", ""),
        ("link", "C1", ""),
    ],
)
def test_completion_address_by_provider(provider, code, address):
    assert completion_address(provider, code) == address


@pytest.mark.needs("crowd")
def test_every_channel_explains_its_pay():
    """For what it is, when it comes, and what happens to those who stop early."""
    said = {provider: str(rules_of(provider).pay) for provider in Provider}

    assert len(set(said.values())) == 3  # one for all targets of MTurk
    for sentences in said.values():
        assert "all texts together" in sentences or "whole HIT" in sentences
        assert "after you" in sentences
        assert "If you stop before" in sentences or "after you finish the last one" in sentences


def test_a_channel_of_an_app_that_is_switched_off_is_refused(monkeypatch):
    monkeypatch.setattr("surveys.recruitment.providers._all_rules", dict)

    with pytest.raises(SettingRefused, match=r"^MTurk simulator belongs to a part of this site"):
        rules_of(Provider.SIMULATOR)
