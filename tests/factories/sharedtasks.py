"""Shared tasks with small made-up data, their phases and teams."""

from datetime import UTC, datetime, timedelta
from typing import Any

from django.contrib.auth.models import User
from django.core.files.base import ContentFile

from surveys.models.sharedtasks import (
    Organiser,
    Participant,
    Phase,
    SharedTask,
    TaskPart,
    Team,
    TeamMember,
)

START = datetime(2027, 1, 1, 12, tzinfo=UTC)


def make_shared_task(organiser: User | None = None, **fields: Any) -> SharedTask:
    """Return a shared task, open since START unless its fields say otherwise."""
    defaults = {"slug": "gwsc", "title": "Graded similarity", "contact": "organisers@example.org"}
    state = {"state": "open", "opened_at": START}
    shared_task = SharedTask.objects.create(**{**defaults, **state, **fields})
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
    """Return a phase of test data for both subtasks: a week from START, nine attempts."""
    defaults = {
        "subtasks": [1, 2],
        "opens_at": START,
        "closes_at": START + timedelta(days=7),
        "attempts_total": 9,
    }
    return Phase.objects.create(shared_task=shared_task, name=name, **{**defaults, **fields})


def make_team(shared_task: SharedTask, name: str = "Otters", **fields: Any) -> Team:
    """Return an accepted team with one member, its captain, who has the team's name."""
    team = Team.objects.create(
        shared_task=shared_task, name=name, name_key=name.casefold(), **fields
    )
    user = User.objects.create_user(name.casefold())
    TeamMember.objects.create(
        shared_task=shared_task,
        team=team,
        participant=Participant.objects.create(user=user),
        is_captain=True,
    )
    return team
