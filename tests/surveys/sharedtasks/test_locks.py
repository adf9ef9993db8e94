"""Each action on shared tasks locks its rows."""

from types import SimpleNamespace

import pytest

from surveys.sharedtasks import models
from surveys.sharedtasks.scoring.score import make_scoring
from surveys.sharedtasks.uploads import check_files
from tests.factories.sharedtasks import (
    START,
    make_data,
    make_phase,
    make_shared_task,
    make_team,
    predictions,
    result_file,
    send,
)
from tests.surveys import locking

LOCKS = locking.read_table(
    ("surveys.sharedtasks.boards.published", "SharedTask", "import_board"),
    ("surveys.sharedtasks.final_results.boards", "SharedTask", "request_finalising"),
    ("surveys.sharedtasks.final_results.boards", "SharedTask Team", "_store"),
    ("surveys.sharedtasks.final_results.publishing", "SharedTask", "publish retract"),
    ("surveys.sharedtasks.final_results.renaming", "SharedTask", "request_archive _store"),
    ("surveys.sharedtasks.opening", "SharedTask", "open_task"),
    ("surveys.sharedtasks.parts", "SharedTask", "add_part remove_part"),
    ("surveys.sharedtasks.phases", "SharedTask", "add_phase remove_phase"),
    ("surveys.sharedtasks.phases", "SharedTask Phase", "change_phase"),
    ("surveys.sharedtasks.retention.personal_data", "SharedTask", "drop_participants"),
    ("surveys.sharedtasks.scoring.rescoring", "SharedTask", "request_rescoring"),
    ("surveys.sharedtasks.scoring.rescoring", "SharedTask Team", "use_scoring"),
    ("surveys.sharedtasks.scoring.rescoring", "SharedTask", "discard_scoring repeat_rescoring"),
    ("surveys.sharedtasks.scoring.score", "SharedTask", "_begin_scoring"),
    ("surveys.sharedtasks.scoring.tracks", "SharedTask", "add_track remove_track"),
    ("surveys.sharedtasks.scoring.score", "Team", "_store _fail"),
    ("surveys.sharedtasks.submissions", "Team Upload", "_submit"),
    ("surveys.sharedtasks.submissions", "Team", "cancel_submission rescore_failed"),
    ("surveys.sharedtasks.submissions", "Team", "withdraw_submission"),
    ("surveys.sharedtasks.submissions", "Team CountedSubmission", "choose_submission"),
    ("surveys.sharedtasks.tasks", "SharedTask", "configure_task add_organiser remove_organiser"),
    ("surveys.sharedtasks.teams.description", "Team", "describe_team accept_terms"),
    ("surveys.sharedtasks.teams.links", "Team", "make_link _join"),
    ("surveys.sharedtasks.teams.links", "TeamInvitation", "_use_link"),
    ("surveys.sharedtasks.teams.members", "Team", "remove_member remove_teammate make_captain"),
    ("surveys.sharedtasks.teams.names", "Team", "rename_team"),
    ("surveys.sharedtasks.teams.registration", "Team", "accept_team decline_team"),
    ("surveys.sharedtasks.teams.registration", "SharedTask Team", "withdraw_team"),
    ("surveys.sharedtasks.uploads", "Upload", "_drop_upload"),
    ("surveys.sharedtasks.scoring.flags", "Submission", "_add"),
    ("surveys.sharedtasks.teams.decisions", "Team", "allow_attempts exclude_team readmit_team"),
    ("surveys.sharedtasks.teams.decisions", "Team Team", "merge_teams"),
    ("surveys.sharedtasks.teams.organisers_team", "SharedTask", "find_organisers_team"),
)


def make_rows() -> locking.Rows:
    """Make an open shared task with two teams and a submission, by the names of parameters."""
    shared_task = make_shared_task()
    part, phase, team = make_data(shared_task), make_phase(shared_task), make_team(shared_task)
    submission = send(team, phase)
    upload = check_files(team, phase, [result_file(predictions(2))], by=None, now=START)
    scoring = make_scoring(shared_task, state=models.ScoringState.CURRENT)
    member = models.TeamMember.objects.get(team=team)
    rules = {"name": "late", "subtasks": [1], "opens_at": START}
    return {
        "shared_task": shared_task, "part": part, "phase": phase, "team": team, "now": START,
        "into": make_team(shared_task, "Herons"), "submission": submission, "upload": upload,
        "scoring": scoring, "member": member, "captain": member, "by": None, "settled": set(),
        "participant": member.participant, "user": member.participant.user, "token": "token",
        "link": models.TeamInvitation(team=team), "golds": SimpleNamespace(scoring=scoring),
        "bodies": {}, "archive": b"", "seen": [], "reason": "a reason", "gold": {},
        "frozen": [SimpleNamespace(sha256="")], "language": "sl", "files": None, "rules": rules,
        "submission_id": submission.pk, "sha256": None, "note": "", "changes": {}, "scores": [],
        "board": models.PublishedBoard(shared_task=shared_task, source="a paper"), "flags": [],
        "subtask": 1, "fields": {}, "to_join": True, "name": "Lynxes", "hides_name": False,
        "pk": upload.pk, "found": [], "n_more": 0, "kind": models.TeamKind.TRIAL,
        "track": shared_task.tracks.get(number=1),
    }  # fmt: skip


@pytest.mark.every_database
@pytest.mark.django_db
@locking.needs_row_locks
def test_each_action_locks_its_rows():
    rows = make_rows()

    assert {case: locking.list_locked(case, rows) for case in LOCKS} == LOCKS


def test_each_action_that_locks_is_in_the_table():
    assert locking.find_missing(LOCKS, lambda name: name.startswith("surveys.sharedtasks.")) == {}
