"""Fixtures of shared tasks."""

import sqlite3
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from threading import Barrier
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection, connections

from surveys.sharedtasks.models import Phase, SharedTask, Team, TeamMember
from surveys.sharedtasks.teams.members import add_member
from tests.factories.sharedtasks import (
    make_data,
    make_participant,
    make_phase,
    make_shared_task,
    make_team,
)

SECONDS = 60  # longer than anything here takes; only a fault waits so long

AtOnce = Callable[..., list[Any]]


@pytest.fixture
def at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AtOnce:
    """Call functions at the same time, each over its own connection to one database.

    Returns what they return, or the errors that they raise. On SQLite it is a file with a copy of
    the test's database, since several connections cannot wait for each other in memory: what a test
    makes must be there before, and later calls see what earlier ones changed.
    """
    if connection.vendor == "sqlite":
        path = tmp_path / "copy.sqlite3"
        with connection.cursor() as cursor:
            cursor.execute(f"VACUUM INTO '{path}'")
        with closing(sqlite3.connect(path)) as copy:
            copy.execute("PRAGMA journal_mode=WAL")  # connections that change it can fail at once
        monkeypatch.setitem(connections.settings["default"], "NAME", str(path))

    def call(*actions: Callable[[], Any]) -> list[Any]:
        together = Barrier(len(actions))

        def do(action: Callable[[], Any]) -> Any:
            try:
                connection.ensure_connection()
                together.wait(SECONDS)
                return action()
            except Exception as error:  # noqa: BLE001  # what it is, is what a test looks at
                return error
            finally:
                connection.close()

        with ThreadPoolExecutor(len(actions)) as people:
            return list(people.map(do, actions))

    return call


@pytest.fixture
def shared_task(request: pytest.FixtureRequest, db: None) -> SharedTask:
    """The test's only shared task: open, with one language, or as the mark `shared_task` says.

    The mark has fields of the shared task, `has_data`, `has_organiser`, which is ana, or in `of`
    the name of a fixture that makes it.
    """
    mark = request.node.get_closest_marker("shared_task")
    fields = {**mark.kwargs} if mark else {}
    if maker := fields.pop("of", None):
        request.getfixturevalue(maker)
        return SharedTask.objects.get()
    has_data = fields.pop("has_data", True)
    organiser = request.getfixturevalue("ana") if fields.pop("has_organiser", False) else None
    shared_task = make_shared_task(organiser, **fields)
    if has_data:
        make_data(shared_task)
    return shared_task


@pytest.fixture
def draft_task(db: None) -> SharedTask:
    return make_shared_task(state="draft", opened_at=None, zone="UTC")


@pytest.fixture
def phase(shared_task: SharedTask) -> Phase:
    return make_phase(shared_task)


@pytest.fixture
def team(shared_task: SharedTask) -> Team:
    return make_team(shared_task)


@pytest.fixture
def captain(team: Team) -> TeamMember:
    return team.members.get()


@pytest.fixture
def member(team: Team) -> TeamMember:
    participant = make_participant(User.objects.create_user("eva"))
    return add_member(team, participant, is_captain=False)


@pytest.fixture
def herons(shared_task: SharedTask) -> Team:
    return make_team(shared_task, "Herons")
