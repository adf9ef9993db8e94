"""The audit log as CSV for members of a study, and as a published file."""

import pytest
from django.contrib.auth.models import User

from surveys.access.audit_log import acting, record
from surveys.models import Study
from surveys.results.public_log import COLUMNS, find_entries, stream_log, write_public_log
from tests.factories.studies import make_study

pytestmark = [pytest.mark.django_db, pytest.mark.study(of="logged_actions")]

CODE = "0123456789abcdef"


@pytest.fixture
def logged_actions() -> Study:
    """A study with log entries by two users, some about others."""
    study = make_study(1)
    ana, bo = (User.objects.create_user(name) for name in ("anamaria", "bogomil"))
    with acting(ana):
        record("study.configured", study, contact=" → lab@example.org")
        record("member.granted", study, "bogomil", role="owner")
    with acting(bo):
        record("verdict.given", study, f"answer 1 of annotator {CODE}", kind="rejected",
               reason="wrote\this name")  # fmt: skip
        record("stimuli.dropped", study, "row 3", word1="cat",
               reason="a slur,\nby ana@example.org")  # fmt: skip
    with acting(ana):
        record("study.opened", study, n_pairs=2)
    with acting("the annotator"):
        record("annotator.withdrew", study, f"annotator {CODE}", answers="erased")
        record("invitation.revoked", study, "invitation 3 to study", reason="left the class")
    return study


def test_write_public_log_identifies_nobody(study):
    lines = [line.split("\t")[1:] for line in write_public_log(study).splitlines()]

    assert lines == [
        list(COLUMNS[1:]),
        ["person 1", "study.configured", "", '{"contact": " → l…@…"}'],
        ["person 2", "verdict.given", "", '{"kind": "rejected"}'],
        ["person 2", "stimuli.dropped", "row 3", '{"reason": "a slur,\\nby a…@…"}'],
        ["person 1", "study.opened", "", '{"n_pairs": 2}'],
        ["the annotator", "annotator.withdrew", "", '{"answers": "erased"}'],
    ]


@pytest.mark.every_database
def test_stream_log_filters_and_masks(study):
    def read(*, sees_addresses: bool) -> str:
        entries = find_entries(study, action="study.", actor="anamaria")
        return "".join(stream_log(entries, sees_addresses=sees_addresses))

    assert [line.split(",")[2] for line in read(sees_addresses=True).splitlines()] == [
        "what", "study.opened", "study.configured",
    ]  # fmt: skip
    assert "lab@example.org" in read(sees_addresses=True)
    assert "lab@example.org" not in read(sees_addresses=False)


def test_stream_log_escapes_formulas(study):
    record("text.set", study, "=cmd()")

    assert ",'=cmd()," in "".join(stream_log(find_entries(study), sees_addresses=True))
