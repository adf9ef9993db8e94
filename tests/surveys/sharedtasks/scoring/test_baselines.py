"""The baselines of a phase: there from its opening, once, and never a team."""

from datetime import timedelta

import pytest

from surveys.models import AuditEntry, Job
from surveys.sharedtasks.boards.live import make_live_board
from surveys.sharedtasks.models import RefusedUpload, Submission
from surveys.sharedtasks.phases import add_phase, change_phase, remove_phase
from surveys.sharedtasks.scoring.baselines import request_baselines, send_baselines
from surveys.sharedtasks.scoring.score import find_scoring
from surveys.sharedtasks.submissions import cancel_submission
from surveys.sharedtasks.tasks import find_next_step
from tests.factories.jobs import let_time_pass, perform_all
from tests.factories.sharedtasks import START, make_phase, make_shared_task, score_all

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.every_database,
    pytest.mark.shared_task(zone="UTC"),
]
SECOND, DAY = timedelta(seconds=1), timedelta(days=1)
RULES = {"name": "later", "subtasks": [1], "opens_at": START + DAY}


@pytest.fixture
def shown_phase(shared_task):
    return make_phase(shared_task, visibility="board")


@pytest.fixture
def opened(shown_phase):
    """The phase, whose queued baselines are due."""
    request_baselines(shown_phase)
    let_time_pass()
    return shown_phase


def sent(phase):
    rows = Submission.objects.filter(phase=phase, team__kind="baseline")
    return sorted(rows.values_list("team__name", flat=True))


def list_queued():
    waiting = Job.objects.filter(state="waiting")
    return list(waiting.values_list("request__phase", "due_at"))


def test_baselines_are_sent_in_every_phase_once(shared_task, shown_phase):
    make_phase(shared_task, "practice", data="practice", subtasks=[2], visibility="board")

    assert [send_baselines(shared_task, by=None, now=START) for _ in range(2)] == [4, 0]
    score_all()

    found = {
        (one.team.name, one.phase.name, one.subtask): sorted(one.scores)
        for one in shown_phase.counted_submissions.model.objects.select_related("team", "phase")
    }
    assert found == {
        (name, *place): ["sl"]
        for name in ("distance", "form")
        for place in (("evaluation", 1), ("evaluation", 2), ("practice", 2))
    }
    assert Submission.objects.filter(team__kind="baseline").count() == 4


def test_baselines_are_on_the_board_from_the_opening_of_the_phase(shown_phase, monkeypatch):
    request_baselines(shown_phase)
    for now in (START - SECOND, START):
        assert sent(shown_phase) == []
        monkeypatch.setattr("django.utils.timezone.now", lambda now=now: now)
        perform_all()

    board = make_live_board(shown_phase, 1)
    assert {row.name: (row.kind.value, row.places) for row in board.rows} == {
        "distance": ("baseline", {}), "form": ("baseline", {}),
    }  # fmt: skip
    assert all("sl" in row.cells for row in board.rows)


def test_baselines_are_no_teams(shared_task, opened):
    perform_all()

    assert shared_task.teams.competing().count() == 0
    assert find_next_step(shared_task, now=START).label == "Invite teams"


def test_baselines_are_queued_once_the_task_is_open(shared_task):
    draft = make_shared_task(slug="draft", state="draft", opened_at=None)
    add_phase(draft, {**RULES, "name": "drafted"}, now=START)
    assert not Job.objects.exists()

    phase = add_phase(shared_task, RULES, now=START)

    assert list_queued() == [(phase.pk, START + DAY)]


def test_queued_baselines_follow_their_phase(shared_task):
    moved, removed = (add_phase(shared_task, {**RULES, "name": n}, now=START) for n in "ab")

    change_phase(moved, {"opens_at": START + 2 * DAY}, now=START)
    remove_phase(removed, now=START)

    assert list_queued() == [(moved.pk, START + 2 * DAY)]


def test_no_baselines_of_final_boards(shared_task, opened):
    scoring = find_scoring(shared_task)
    opened.frozen_boards.create(subtask=1, scoring=scoring, body="{}", sha256="a" * 64)

    perform_all()

    assert sent(opened) == []


def test_cancelled_baselines_are_not_submitted_again(opened):
    perform_all()
    cancel_submission(Submission.objects.get(team__name="form"), "it says nothing here")

    assert perform_all() == 0
    assert [row.name for row in make_live_board(opened, 1).rows] == ["distance"]


def test_baselines_that_an_organiser_has_submitted_are_not_doubled(shared_task, opened):
    send_baselines(shared_task, by=None, now=START - SECOND)

    perform_all()

    assert sent(opened) == ["distance", "form"]
    assert RefusedUpload.objects.count() == 0


def test_baselines_that_cannot_be_computed_are_reported_and_not_tried_again(opened, caplog):
    part = opened.shared_task.parts.get()
    part.data.storage.delete(part.data.name)

    assert [perform_all() for _ in range(2)] == [1, 0]
    assert "could not be submitted: The data of the phase cannot be read." in caplog.text
    assert sent(opened) == []


def test_the_log_says_that_the_site_made_them(opened):
    perform_all()

    entries = AuditEntry.objects.filter(action="team.own_made")
    assert sorted((one.subject, one.actor) for one in entries) == [
        ("distance", "the site"), ("form", "the site"),
    ]  # fmt: skip
