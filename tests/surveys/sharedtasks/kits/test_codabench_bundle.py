"""The bundle for Codabench: what it has, the same bytes, and who may have it."""

import io
import zipfile
from datetime import timedelta

import pytest
import yaml

from postprocess.bundles.codabench_bundle import check_bundle
from surveys.models import AuditEntry, Role
from surveys.sharedtasks.errors import SharedTaskRefused
from surveys.sharedtasks.kits.codabench_bundle import (
    list_bundled,
    list_shortened,
    make_bundle,
    may_read_gold,
)
from surveys.sharedtasks.models import ScoringState
from surveys.sharedtasks.phases import add_gwsc_phases
from tests.factories.repositories import make_complete_release
from tests.factories.sharedtasks import START, make_data, make_phase, make_shared_task
from tests.factories.task_files import part_files

pytestmark = [pytest.mark.django_db, pytest.mark.shared_task(of="task_to_bundle")]
WEEK = timedelta(days=7)


@pytest.fixture
def task_to_bundle(ana):
    shared_task = make_shared_task(
        ana, state="draft", opened_at=None, text="Predict.", terms="Be *fair*."
    )
    make_data(shared_task)
    times = {"practice_opens_at": START, "opens_at": START + WEEK, "closes_at": START + 2 * WEEK}
    add_gwsc_phases(shared_task, **times, now=START)
    return shared_task


def unpack(bundle):
    with zipfile.ZipFile(io.BytesIO(bundle)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def competition_of(bundle):
    return yaml.safe_load(unpack(bundle)["competition.yaml"])


def test_a_bundle_has_the_data_and_rules_of_a_subtask(shared_task, ana):
    files = unpack(make_bundle(shared_task, 2, ana))
    competition = yaml.safe_load(files["competition.yaml"])

    check_bundle(files)
    assert competition["title"] == "Graded similarity, subtask 2"
    assert files["terms.md"] == b"Be *fair*.\n"
    assert files["reference_test/gold_sl.tsv"] == part_files().gold
    assert files["reference_practice/gold_sl.tsv"] == part_files().practice_gold
    assert competition["leaderboards"][0]["submission_rule"] == "Add_And_Delete"


def test_the_same_shared_task_gives_the_same_bytes(shared_task, ana):
    assert make_bundle(shared_task, 1, ana) == make_bundle(shared_task, 1, ana)
    assert make_bundle(shared_task, 1, ana) != make_bundle(shared_task, 2, ana)


def test_phases_end_a_second_before_the_next_one_opens(shared_task, ana):
    phases = competition_of(make_bundle(shared_task, 1, ana))["phases"]

    assert [(one["name"], one["start"], one.get("end")) for one in phases] == [
        ("practice", "2027-01-01 12:00:00", "2027-01-08 11:59:59"),
        ("evaluation", "2027-01-08 12:00:00", "2027-01-15 11:59:59"),
        ("post-evaluation", "2027-01-15 12:00:00", None),
    ]
    assert [phase.name for phase in list_shortened(shared_task)] == ["practice"]


def test_phases_without_the_subtask_are_left_out(shared_task, ana):
    shared_task.phases.exclude(name="evaluation").update(subtasks=[1])
    shared_task.phases.update(visibility="own", counting="best")

    competition = competition_of(make_bundle(shared_task, 2, ana))

    assert list_bundled(shared_task) == [1, 2]
    assert [one["name"] for one in competition["phases"]] == ["evaluation"]
    assert competition["leaderboards"][0]["submission_rule"] == "Force_Best"


def test_what_codabench_would_refuse_is_reported(shared_task, ana):
    make_phase(shared_task, "second", opens_at=START + WEEK, closes_at=None)

    with pytest.raises(SharedTaskRefused, match="Codabench would refuse the bundle"):
        make_bundle(shared_task, 1, ana)
    assert not AuditEntry.objects.filter(action="sharedtask.bundle_made").exists()


def test_a_bundle_has_the_corrected_gold(shared_task, ana):
    part = shared_task.parts.get()
    corrected = part_files().gold.replace(b"\n", b"\r\n")
    name = part.gold.storage.save("corrected", io.BytesIO(corrected))
    shared_task.scorings.create(
        number=2, scorer="1.0", state=ScoringState.CURRENT, gold_files={"sl": name},
        current_since=START,
    )  # fmt: skip

    assert unpack(make_bundle(shared_task, 1, ana))["reference_test/gold_sl.tsv"] == corrected


def test_gold_of_releases_is_for_researchers_of_their_studies(shared_task, ana):
    made = make_complete_release()
    shared_task.parts.update(release=made)

    assert not may_read_gold(shared_task, ana)
    with pytest.raises(SharedTaskRefused, match="you are no researcher"):
        make_bundle(shared_task, 1, ana)
    made.study.memberships.create(user=ana, role=Role.RESEARCHER)
    assert may_read_gold(shared_task, ana)


def test_published_gold_is_for_every_organiser(shared_task, ana):
    shared_task.parts.update(release=make_complete_release())
    type(shared_task).objects.update(state="published", opened_at=START, published_at=START)
    shared_task.refresh_from_db()

    assert may_read_gold(shared_task, ana)


def test_a_download_is_in_the_log(shared_task, ana):
    make_bundle(shared_task, 1, ana)

    assert AuditEntry.objects.filter(action="sharedtask.bundle_made").values_list(
        "subject", flat=True
    ).get() == "subtask 1"  # fmt: skip
