"""The baselines of a phase: there from its opening, once, and never a team."""

from datetime import timedelta
from types import SimpleNamespace

import pytest

from surveys import tasks
from surveys.models import AuditEntry
from surveys.models.sharedtasks import CountedSubmission, RefusedUpload, Submission
from surveys.sharedtasks.boards.live import make_live_board
from surveys.sharedtasks.scoring.waiting import find_scoring
from surveys.sharedtasks.submissions import cancel_submission
from surveys.sharedtasks.tasks import find_next_step
from surveys.sharedtasks.watching import baselines
from surveys.sharedtasks.watching.baselines import send_baselines, send_due_baselines
from tests.factories.sharedtasks import START, make_data, make_phase, make_shared_task, score_all

pytestmark = [pytest.mark.django_db, pytest.mark.every_database]
SECOND = timedelta(seconds=1)


@pytest.fixture
def shared_task():
    shared_task = make_shared_task(zone="UTC")
    make_data(shared_task)
    return shared_task


@pytest.fixture
def phase(shared_task):
    return make_phase(shared_task, visibility="board", baselines_at=None)


@pytest.fixture
def clock(monkeypatch):
    """The time of background work."""
    clock = SimpleNamespace(at=START)
    fake = SimpleNamespace(now=lambda: clock.at)
    monkeypatch.setattr(baselines, "timezone", fake)
    monkeypatch.setattr(tasks, "timezone", fake)
    return clock


def sent(phase):
    rows = Submission.objects.filter(phase=phase, team__kind="baseline")
    return sorted(rows.values_list("team__name", flat=True))


def test_baselines_are_sent_in_every_phase_once(shared_task, phase):
    make_phase(shared_task, "practice", data="practice", subtasks=[2], visibility="board")

    assert [send_baselines(shared_task, by=None, now=START) for _ in range(2)] == [4, 0]
    score_all()

    found = {
        (one.team.name, one.phase.name, one.subtask): sorted(one.scores)
        for one in phase.counted_submissions.model.objects.select_related("team", "phase")
    }
    assert found == {
        (name, *place): ["sl"]
        for name in ("distance", "form")
        for place in (("evaluation", 1), ("evaluation", 2), ("practice", 2))
    }
    assert Submission.objects.filter(team__kind="baseline").count() == 4


def test_baselines_are_on_the_board_from_the_opening_of_the_phase(phase, clock):
    clock.at = START - SECOND
    assert (send_due_baselines(), sent(phase)) == (0, [])

    clock.at = START
    assert [send_due_baselines() for _ in range(2)] == [1, 0]
    score_all()

    board = make_live_board(phase, 1)
    assert {row.name: (row.kind.value, row.places) for row in board.rows} == {
        "distance": ("baseline", {}), "form": ("baseline", {}),
    }  # fmt: skip
    assert all("sl" in row.cells for row in board.rows)


def test_baselines_are_no_teams(shared_task, phase, clock):
    send_due_baselines()

    assert shared_task.teams.competing().count() == 0
    assert find_next_step(shared_task, now=START).label == "Invite teams"


@pytest.mark.parametrize("change", [{"state": "draft", "opened_at": None}, {}])
def test_no_baselines_of_drafts_and_final_boards(shared_task, phase, clock, change):
    if change:
        type(shared_task).objects.filter(pk=shared_task.pk).update(**change)
    else:
        scoring = find_scoring(shared_task)
        phase.frozen_boards.create(subtask=1, scoring=scoring, body="{}", sha256="a" * 64)

    assert (send_due_baselines(), sent(phase)) == (0, [])


def test_cancelled_baselines_are_not_submitted_again(phase, clock):
    send_due_baselines()
    score_all()
    cancel_submission(Submission.objects.get(team__name="form"), "it says nothing here")

    assert send_due_baselines() == 0
    assert [row.name for row in make_live_board(phase, 1).rows] == ["distance"]


def test_baselines_that_an_organiser_has_submitted_are_not_doubled(shared_task, phase, clock):
    send_baselines(shared_task, by=None, now=START - SECOND)

    assert send_due_baselines() == 1
    assert sent(phase) == ["distance", "form"]
    assert RefusedUpload.objects.count() == 0


def test_of_two_processes_one_submits_baselines(phase, clock, monkeypatch):
    render = baselines.render_baseline
    others = [send_due_baselines]  # another process is faster, between computing and storing

    def compute(name, phase):
        found = render(name, phase)
        if name == "form" and others:
            others.pop()()
        return found

    monkeypatch.setattr(baselines, "render_baseline", compute)
    send_due_baselines()

    assert sent(phase) == ["distance", "form"]
    assert CountedSubmission.objects.count() == 0  # they wait for their scores
    assert RefusedUpload.objects.count() == 0


def test_baselines_that_cannot_be_computed_are_reported_and_not_tried_again(phase, clock, caplog):
    part = phase.shared_task.parts.get()
    part.data.storage.delete(part.data.name)

    assert [send_due_baselines() for _ in range(2)] == [1, 0]
    assert "could not be submitted" in caplog.text
    assert sent(phase) == []


def test_the_log_says_that_the_site_made_them(phase, clock):
    send_due_baselines()

    entries = AuditEntry.objects.filter(action="team.own_made")
    assert sorted((one.subject, one.actor) for one in entries) == [
        ("distance", "the site"), ("form", "the site"),
    ]  # fmt: skip


def test_workers_are_asked_for_baselines(phase, clock, monkeypatch, settings):
    settings.BACKGROUND = "workers"
    asked = []
    monkeypatch.setattr(tasks.BROKER, "ask", lambda jobs: asked.append(jobs) or True)

    tasks.Dispatcher()._ask(tasks.BROKER)  # noqa: SLF001  # `look` closes the connection of the test

    assert asked == [{tasks.send_baselines}]


def test_a_thread_submits_baselines(phase, clock, monkeypatch, settings):
    settings.BACKGROUND = "threads"
    started = []
    monkeypatch.setattr(
        tasks.Dispatcher, "_start_thread", lambda self, work, name: started.append(name)
    )

    tasks.Dispatcher()._start_threads()  # noqa: SLF001  # `look` closes the connection of the test

    assert started == ["send_baselines"]
