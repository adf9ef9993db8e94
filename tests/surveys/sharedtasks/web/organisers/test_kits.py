"""Kits: for everybody once a phase has begun, for organisers before."""

from datetime import timedelta

import pytest
from django.test import Client
from django.urls import reverse

from surveys.sharedtasks.models import SharedTask
from tests.factories.sharedtasks import START, make_data, make_phase

pytestmark = pytest.mark.shared_task(
    has_data=False, has_organiser=True, zone="UTC", text="Predict.", terms="Be fair."
)

SECOND = timedelta(seconds=1)


@pytest.fixture
def full_phase(shared_task):
    make_data(shared_task)
    return make_phase(shared_task)


@pytest.fixture
def begin_at(monkeypatch):
    """Let requests of everybody begin at an instant."""

    def set_time(now):
        monkeypatch.setattr("surveys.sharedtasks.web.public.overview.began_at", lambda request: now)

    return set_time


def fetch():
    return Client().get(reverse("sharedtasks:kit", args=["gwsc", "evaluation"]))


def test_everybody_gets_the_kit_from_the_second_at_which_the_phase_begins(full_phase, begin_at):
    begin_at(START - SECOND)
    assert fetch().status_code == 404
    begin_at(START)
    answer = fetch()

    assert answer["Content-Disposition"] == 'attachment; filename="gwsc_evaluation_kit.zip"'
    assert answer.content.startswith(b"PK")
    assert answer["X-Content-Type-Options"] == "nosniff"


def test_a_draft_has_no_kit_for_everybody(full_phase, begin_at):
    SharedTask.objects.update(state="draft", opened_at=None)
    begin_at(START)

    assert fetch().status_code == 404


def test_organisers_look_at_the_kit_before_the_phase_begins(as_ana, full_phase, shared_task):
    full_phase.opens_at = START + timedelta(days=1)
    full_phase.save()

    answer = as_ana.get(reverse("organisers:kit", args=["gwsc", "evaluation"]))

    assert answer.content.startswith(b"PK")
    assert (
        reverse("organisers:kit", args=["gwsc", "evaluation"])
        in as_ana.get(reverse("organisers:phases", args=["gwsc"])).text
    )


def test_organisers_download_bundles_for_codabench(as_ana, full_phase):
    page = as_ana.get(reverse("organisers:codabench", args=["gwsc"])).text

    answer = as_ana.post(reverse("organisers:bundle", args=["gwsc", 1]))

    assert "Keep the bundles secret" in page
    assert reverse("organisers:bundle", args=["gwsc", 2]) in page
    assert reverse("organisers:codabench", args=["gwsc"]) in as_ana.get(
        reverse("organisers:phases", args=["gwsc"])
    ).text  # fmt: skip
    assert answer["Content-Disposition"] == 'attachment; filename="gwsc_codabench_1.zip"'
    assert answer.content.startswith(b"PK")
    assert as_ana.get(reverse("organisers:bundle", args=["gwsc", 1])).status_code == 405
    assert as_ana.post(reverse("organisers:bundle", args=["gwsc", 3])).status_code == 404


def test_the_codabench_page_says_what_is_missing(as_ana, shared_task):
    assert "There are no phases yet" in as_ana.get(
        reverse("organisers:codabench", args=["gwsc"])
    ).text  # fmt: skip
