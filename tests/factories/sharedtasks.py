"""Shared tasks with small made-up data, their phases and teams."""

import hashlib
import time
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from django.contrib.auth.models import User
from django.core.files.base import ContentFile
from django.utils import timezone

from surveys.jobs.perform import perform
from surveys.models import Job, JobState, LimitedAccount
from surveys.sharedtasks.models import (
    Organiser,
    Phase,
    SharedTask,
    Submission,
    TaskPart,
    Team,
    TeamMember,
    Track,
)
from surveys.sharedtasks.models.tasks import GWSC_TRACKS
from surveys.sharedtasks.parts import STORED
from surveys.sharedtasks.scoring.score import SCORE
from surveys.sharedtasks.submissions import submit
from surveys.sharedtasks.teams.links import HOME
from surveys.sharedtasks.uploads import check_files
from tests.factories.task_files import part_files

START = datetime(2027, 1, 1, 12, tzinfo=UTC)


def make_shared_task(organiser: User | None = None, **fields: Any) -> SharedTask:
    """Return a shared task, open since START unless its fields say otherwise."""
    defaults = {"slug": "gwsc", "title": "Graded similarity", "contact": "organisers@example.org"}
    state = {"state": "open", "opened_at": START}
    shared_task = SharedTask.objects.create(**{**defaults, **state, **fields})
    Track.objects.bulk_create(Track(shared_task=shared_task, **of) for of in GWSC_TRACKS)
    if organiser:
        Organiser.objects.create(shared_task=shared_task, user=organiser)
    return shared_task


def make_part(shared_task: SharedTask, language: str = "sl", **fields: Any) -> TaskPart:
    """Return a part whose files hold nothing."""
    files = {name: ContentFile(b"", name) for name in ("data", "gold")}
    told = {"n_pairs": 12, "data_sha256": "d" * 64, "gold_sha256": "e" * 64}
    return TaskPart.objects.create(
        shared_task=shared_task, language=language, **{**files, **told, **fields}
    )


def make_phase(shared_task: SharedTask, name: str = "evaluation", **fields: Any) -> Phase:
    """Return a phase of test data for both subtasks: a week from START, nine attempts.

    The site submits no baselines in it.
    """
    defaults = {
        "subtasks": [1, 2],
        "opens_at": START,
        "closes_at": START + timedelta(days=7),
        "attempts_total": 9,
    }
    return Phase.objects.create(shared_task=shared_task, name=name, **{**defaults, **fields})


def make_participant(user: User) -> LimitedAccount:
    """Return the account of a participant that a user has, or now gets."""
    return LimitedAccount.objects.get_or_create(user=user, defaults={"home": HOME})[0]


def make_team(shared_task: SharedTask, name: str = "Otters", **fields: Any) -> Team:
    """Return an accepted team with one member, its captain, who has the team's name."""
    team = Team.objects.create(
        shared_task=shared_task, name=name, name_key=name.casefold(), **fields
    )
    user, _ = User.objects.get_or_create(username=name.casefold())
    participant = make_participant(user)
    TeamMember.objects.create(
        shared_task=shared_task,
        team=team,
        participant=participant,
        is_captain=True,
    )
    return team


def make_data(shared_task: SharedTask, language: str = "sl", **fields: Any) -> TaskPart:
    """Return a part with files: twelve made-up pairs, and four for practice."""
    files = part_files()
    contents = {name: getattr(files, name) for name in STORED}
    stored = {name: ContentFile(content, name) for name, content in contents.items()}
    digests = {
        f"{name}_sha256": hashlib.sha256(contents[name]).hexdigest() for name in ("data", "gold")
    }
    return make_part(shared_task, language, n_practice=4, **{**stored, **digests, **fields})


def result_file(
    numbers: Iterable[float], subtask: int = 1, language: str = "sl"
) -> tuple[str, bytes]:
    """Return a result file with these numbers as changes, or as both scores."""
    header = "change" if subtask == 1 else "sim_context1\tsim_context2"
    rows = [f"{x}" if subtask == 1 else f"{x}\t{x * x}" for x in numbers]
    content = "\n".join([header, *rows]) + "\n"
    return f"results_subtask{subtask}_{language}.tsv", content.encode()


def predictions(seed: int = 1, n: int = 12) -> list[float]:
    """Return predictions that differ by their seed; those for the made-up gold correlate with it.

    The gold's changes are 6 times the number of the pair, modulo 10, less its own digits.
    """
    gold = [(k * 7) % 10 - k % 10 for k in range(n)]
    return [change + ((seed * (k + 3)) % 7) / 2 for k, change in enumerate(gold)]


def send(
    team: Team,
    phase: Phase,
    files: Sequence[tuple[str, bytes]] | None = None,
    *,
    seed: int = 1,
    now: datetime = START,
) -> Submission:
    """Check files and submit them: by default predictions of the changes in one language."""
    files = files or [result_file(predictions(seed))]
    return submit(check_files(team, phase, files, by=None, now=now), by=None, now=now)


def score_all() -> int:
    """Score the submissions that wait; return their number. A served site may score some, too."""
    n_scored, jobs = 0, Job.objects.filter(kind=SCORE)
    while job := jobs.due(timezone.now()).first():
        n_scored += perform(job.pk)
    while jobs.filter(state=JobState.RUNNING).exists():
        time.sleep(0.1)
    return n_scored
