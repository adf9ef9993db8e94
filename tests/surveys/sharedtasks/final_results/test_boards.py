"""Final boards: obstacles, unranked results with reasons, frozen boards, and the archive."""

import hashlib
import io
import zipfile
from datetime import timedelta

import pytest
from django.utils import timezone

from postprocess.boards.commitment import commit_to_gold, is_gold_unchanged
from postprocess.boards.exports.freezing import read_board
from surveys.models import AuditEntry
from surveys.sharedtasks.boards.live import make_live_board
from surveys.sharedtasks.errors import SharedTaskRefused, SubmissionRefused
from surveys.sharedtasks.final_results.archive import list_archive, make_archive, read_archived
from surveys.sharedtasks.final_results.boards import finalise, request_finalising
from surveys.sharedtasks.final_results.eligibility import list_obstacles, list_unranked
from surveys.sharedtasks.final_results.publishing import are_boards_stale, publish, retract
from surveys.sharedtasks.models import FrozenBoard, SharedTask
from surveys.sharedtasks.scoring.gold import read_gold_file
from surveys.sharedtasks.scoring.rescoring import request_rescoring, use_scoring
from surveys.sharedtasks.scoring.score import score_submission
from surveys.sharedtasks.submissions import submit, withdraw_submission
from surveys.sharedtasks.tasks import FINALISE, find_jobs, find_shared_task, request_job
from surveys.sharedtasks.teams.decisions import exclude_team
from surveys.sharedtasks.teams.description import describe_team
from surveys.sharedtasks.teams.registration import withdraw_team
from surveys.sharedtasks.uploads import check_files
from tests.factories.jobs import made_by, perform_all, perform_by
from tests.factories.sharedtasks import (
    START,
    make_data,
    make_phase,
    make_shared_task,
    make_team,
    predictions,
    result_file,
    score_all,
    send,
)
from tests.factories.task_files import HEADER, gold_file

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.usefixtures("boards_without_figures"),
    pytest.mark.shared_task(of="committed_task"),
]
END = START + timedelta(days=7)
SALT = bytes(range(32))


@pytest.fixture
def committed_task():
    shared_task = make_shared_task(salt=SALT.hex())
    part = make_data(shared_task, reliability=0.81, human=0.77)
    gold = {"sl": read_gold_file(part, practice=False)}
    shared_task.commitment = commit_to_gold(SALT, gold)
    shared_task.save()
    return shared_task


@pytest.fixture
def trio(shared_task, phase):
    """Three teams with changes and scores, of which one agreed to publish its files."""
    names = ("Otters", "Herons", "Newts")
    fields = {"described_at": START, "publishes_scores": True, "system": "a system"}
    teams = [make_team(shared_task, name, **fields) for name in names]
    for seed, team in enumerate(teams, 1):
        files = [result_file(predictions(seed)), result_file(predictions(seed + 3), subtask=2)]
        send(team, phase, files)
    teams[0].publishes_files = True
    teams[0].save()
    score_all()
    return teams


def settle(shared_task, now=END):
    return [one.key for one in list_unranked(shared_task, now)]


def clock(now):
    """A maker that makes final boards as of an instant."""
    return lambda job, progress: finalise(find_shared_task(job), progress, now=now)


def finish(shared_task, now=END):
    job = request_finalising(shared_task, settled=settle(shared_task, now), now=now, by=None)
    assert perform_by(clock(now), job).error == ""
    return SharedTask.objects.get(pk=shared_task.pk)


def test_boards_are_frozen_with_ranks_references_and_all_digits(shared_task, trio):
    shared_task = finish(shared_task)

    frozen = FrozenBoard.objects.get(subtask=1)
    board = read_board(frozen.body.encode())
    counted = {row.team.name: row for row in frozen.phase.counted_submissions.filter(subtask=1)}
    assert shared_task.state == "finalised"
    assert frozen.sha256 == hashlib.sha256(frozen.body.encode()).hexdigest()
    assert [row.name for row in board.rows if row.places] == sorted(
        counted, key=lambda name: -counted[name].scores["sl"]["score"]
    )
    assert {row.name: row.cells["sl"].score for row in board.rows if row.name in counted} == {
        name: row.scores["sl"]["score"] for name, row in counted.items()
    }
    assert {row.name for row in board.rows if row.is_reference} == {
        "score ceiling", "a second crowd", "distance", "form", "best without context",
    }  # fmt: skip
    scores = read_board(FrozenBoard.objects.get(subtask=2).body.encode())
    assert "human" in {row.name for row in scores.rows}
    assert board.rules.gold_sha256 == {"sl": shared_task.parts.get().gold_sha256}


def test_the_archive_has_boards_gold_salt_baselines_and_agreed_files(shared_task, trio):
    shared_task = finish(shared_task)

    paths = set(list_archive(shared_task))
    own = f"submissions/{trio[0].code}/evaluation-1/results_subtask1_sl.tsv"
    assert {
        "README.md", "SHA256SUMS", "score.py", "salt.bin", "gold/gold_sl.tsv", own,
        "evaluation-1/board.json", "evaluation-1/board.csv", "evaluation-2/board.tex",
        "evaluation-1/differences.csv", "baselines/form/results_subtask2_sl.tsv",
    } <= paths  # fmt: skip
    assert not any(team.code in path for team in trio[1:] for path in paths)
    assert is_gold_unchanged(
        shared_task.commitment,
        read_archived(shared_task, "salt.bin"),
        {"sl": read_archived(shared_task, "gold/gold_sl.tsv")},
    )
    assert read_archived(shared_task, own) == result_file(predictions(1))[1]
    assert read_archived(shared_task, "../x") is None
    with shared_task.archive.open("rb") as file:
        content = file.read()
    assert shared_task.archive_sha256 == hashlib.sha256(content).hexdigest()
    assert zipfile.ZipFile(io.BytesIO(content)).testzip() is None


def test_finalising_is_refused_while_anything_waits(shared_task, phase, trio):
    send(trio[0], phase, seed=5)

    with pytest.raises(SharedTaskRefused, match="wait for their scores: 1"):
        finish(shared_task)

    assert not find_jobs(shared_task).exists()


def test_obstacles_are_named(shared_task, phase, trio):
    assert list_obstacles(shared_task, END - timedelta(seconds=1)) == [
        "No phase of test data has ended.",
        (
            "The phase evaluation ends on 2027-01-08 at 12:00:00 UTC. Only phases without an end "
            "go on after the boards are final."
        ),
    ]
    make_phase(shared_task, "later", closes_at=None)  # its hidden scores are shown with the gold
    make_phase(shared_task, "practice", data="practice", closes_at=None)
    assert list_obstacles(shared_task, END) == []
    trio[0].submissions.update(state="failed")
    assert "could not be scored: 1" in list_obstacles(shared_task, END)[0]


def test_the_unranked_are_listed_with_reasons_and_each_has_to_be_settled(shared_task, phase, trio):
    undescribed = make_team(shared_task, "Voles")
    over = make_team(shared_task, "Wolves", described_at=START, publishes_scores=True)
    trial = make_team(shared_task, "Trial", kind="trial")
    for team in (undescribed, over, over, trial):
        send(team, phase, seed=10 + team.pk + team.submissions.count())
    score_all()
    phase.attempts_total = 1
    phase.save()
    late = trio[1].submissions.get()
    late.sent_at = phase.closes_at
    late.save()
    trio[2].state = "excluded"
    trio[2].save()

    found = {
        (one.counted.team.name, one.reason, one.is_shown) for one in list_unranked(shared_task, END)
    }

    assert found == {
        ("Voles", "incomplete description", True),
        ("Wolves", "over the limit", True),
        ("Trial", "organisers’ own", True),
        ("Herons", "late", True),
        ("Newts", "excluded", False),
    }
    with pytest.raises(SharedTaskRefused, match="Decide about Herons in subtask 1 of evaluation"):
        request_finalising(shared_task, settled=[], now=END, by=None)
    finish(shared_task)
    board = read_board(FrozenBoard.objects.get(subtask=1).body.encode())
    assert {row.name: row.outside for row in board.rows if not row.is_reference} == {
        "Otters": "", "Herons": "late", undescribed.code: "incomplete description",
        "Wolves": "over the limit", "Trial": "organisers’ own",
    }  # fmt: skip
    entry = AuditEntry.objects.get(action="sharedtask.finalising")
    assert "Voles (incomplete description)" in entry.details["unranked"]


def test_descriptions_are_not_required_if_the_rule_is_off(shared_task, phase):
    shared_task.requires_description = False
    shared_task.save()
    send(make_team(shared_task), phase)
    score_all()

    assert list_unranked(shared_task, END) == []


def test_a_withdrawn_team_is_not_on_the_board(shared_task, trio):
    withdraw_team(trio[0], hides_name=False, now=START)

    finish(shared_task)

    assert "Otters" not in FrozenBoard.objects.get(subtask=1).body


def test_an_unfinished_description_is_not_published(shared_task, phase, trio):
    """The team has not given its consent, and is outside the ranking under its code."""
    unfinished = make_team(
        shared_task, "Voles", system="draft-bert", summary="Do not publish this."
    )
    send(unfinished, phase, seed=9)
    score_all()
    live = make_live_board(phase, 1)

    shared_task = finish(shared_task)

    assert {row.name: row.system for row in live.rows}["Voles"] == ""
    readme = read_archived(shared_task, "README.md").decode()
    board = FrozenBoard.objects.get(subtask=1).body
    (row,) = [one for one in read_board(board.encode()).rows if one.name == unfinished.code]
    assert row.outside == "incomplete description"
    assert unfinished.code in readme
    for text in ("Voles", "Do not publish", "draft-bert"):
        assert text not in readme + board


def test_a_team_may_stand_under_its_code(shared_task, trio):
    trio[0].hides_name = True
    trio[0].save()

    shared_task = finish(shared_task)

    body = FrozenBoard.objects.get(subtask=1).body
    assert "Otters" not in body
    assert trio[0].code in body
    assert b"Otters" not in read_archived(shared_task, "README.md")


def test_a_baseline_of_the_organisers_replaces_the_one_of_its_name(shared_task, phase, trio):
    send(make_team(shared_task, "form", kind="baseline"), phase, seed=20)
    score_all()

    finish(shared_task)

    board = read_board(FrozenBoard.objects.get(subtask=1).body.encode())
    (form,) = [row for row in board.rows if row.name == "form"]
    score = phase.counted_submissions.get(team__name="form").scores["sl"]["score"]
    assert (form.kind, form.cells["sl"].score) == ("baseline", score)


def test_a_final_phase_takes_no_submissions(shared_task, phase, trio):
    """Not even one whose request began before the end and came late to the lock."""
    upload = check_files(
        trio[0],
        phase,
        [result_file(predictions(6))],
        by=None,
        now=END - timedelta(seconds=1),
    )
    finish(shared_task)

    with pytest.raises(SubmissionRefused, match="are final"):
        submit(upload, by=None, now=END - timedelta(seconds=1))


def test_what_arrives_while_boards_are_made_stops_them(shared_task, phase, trio):
    job = request_finalising(shared_task, settled=settle(shared_task), now=END, by=None)

    def arrive(job, progress):
        send(trio[0], phase, seed=6, now=END - timedelta(seconds=1))
        return clock(END)(job, progress)

    job = perform_by(arrive, job)

    assert (job.state, job.error.split(".")[0]) == (
        "failed", "Submissions, teams or scores changed while the boards were made"
    )  # fmt: skip
    assert FrozenBoard.objects.count() == 0
    shared_task.refresh_from_db()
    assert shared_task.state == "open"


def finalise_while(shared_task, change, monkeypatch):
    """Make final boards, with a change after they are computed; return the job."""
    job = request_finalising(shared_task, settled=settle(shared_task), now=END, by=None)

    def make_and_change(*given):
        archive = make_archive(*given)
        change()
        return archive

    monkeypatch.setattr("surveys.sharedtasks.final_results.boards.make_archive", make_and_change)
    return perform_by(clock(END), job)


@pytest.mark.parametrize("change", [
    lambda team: withdraw_submission(team.submissions.get()),
    lambda team: withdraw_team(team, hides_name=False, now=END),
    lambda team: describe_team(team, {"publishes_files": False}, now=END),
    lambda team: describe_team(team, {"hides_name": True}, now=END),
    lambda team: exclude_team(team, "several accounts"),
])  # fmt: skip
def test_who_changes_their_mind_while_boards_are_made_is_heard(
    shared_task, trio, change, monkeypatch
):
    """Nothing is published of files or names whose team took its consent back in time."""
    job = finalise_while(shared_task, lambda: change(trio[0]), monkeypatch)

    assert (job.state, "Finalise again" in job.error) == ("failed", True)
    assert FrozenBoard.objects.count() == 0


def test_what_happens_in_other_phases_stops_no_boards(shared_task, trio, monkeypatch):
    later = make_phase(shared_task, "later", closes_at=None, visibility="board")

    def send_more():
        send(make_team(shared_task, "Voles"), later)
        with made_by(score_submission):
            score_all()

    job = finalise_while(shared_task, send_more, monkeypatch)

    assert (job.state, job.error) == ("done", "")


def test_publishing_and_taking_back(shared_task, trio):
    with pytest.raises(SharedTaskRefused, match="Finalise the shared task first"):
        publish(shared_task, END)
    shared_task = publish(finish(shared_task), END)

    assert (shared_task.state, shared_task.published_at) == ("published", END)
    assert publish(shared_task, END + timedelta(days=1)).published_at == END
    with pytest.raises(SharedTaskRefused, match="Write why"):
        retract(shared_task, "", END)
    retracted = retract(shared_task, "wrong gold", END)
    assert (retracted.state, retracted.retracted_at) == ("finalised", END)
    assert retract(retracted, "", END).retracted_at == END
    again = publish(retracted, END + timedelta(days=2))
    assert (again.state, again.retracted_at) == ("published", None)
    actions = AuditEntry.objects.filter(scope=shared_task.scope).order_by("pk")
    assert [entry.action for entry in actions][-3:] == [
        "sharedtask.published", "sharedtask.retracted", "sharedtask.published",
    ]  # fmt: skip


def test_a_correction_is_told_on_boards_made_anew(shared_task, trio):
    shared_task = publish(finish(shared_task), END)
    first = FrozenBoard.objects.get(subtask=1).body
    rows = gold_file(12).decode().removeprefix(HEADER).replace("0\t0\t0\n", "0\t9\t9\n")
    gold = {"sl": (HEADER + rows).encode()}
    scoring = request_rescoring(shared_task, "pair 1 was wrong", gold=gold, by=None)
    perform_all()
    scoring.refresh_from_db()
    use_scoring(scoring)
    assert are_boards_stale(shared_task)
    with pytest.raises(SharedTaskRefused, match="Finalise again"):
        publish(retract(shared_task, "wrong gold", END), END)

    shared_task = publish(finish(shared_task), END)

    board = read_board(FrozenBoard.objects.get(subtask=1).body.encode())
    assert FrozenBoard.objects.get(subtask=1).body != first
    assert "with corrected gold (sl): pair 1 was wrong" in board.rules.remarks[0]
    assert read_archived(shared_task, "gold/gold_sl.tsv") == gold["sl"]
    committed = {"sl": read_archived(shared_task, "committed/gold_sl.tsv")}
    salt = read_archived(shared_task, "salt.bin")
    assert is_gold_unchanged(shared_task.commitment, salt, committed)
    assert not are_boards_stale(shared_task)


def test_finalising_uses_the_clock_of_the_job(shared_task, phase, trio):
    """The phase ends in the future of this machine's clock: nothing has ended yet."""
    phase.opens_at, phase.closes_at = START, timezone.now() + timedelta(days=1000)
    phase.save()
    request_job(shared_task, FINALISE, None)

    perform_all()

    job = find_jobs(shared_task).get()
    assert (job.state, job.error) == ("failed", "No phase of test data has ended.")
