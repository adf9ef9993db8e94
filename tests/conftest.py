import os
from collections.abc import Collection
from pathlib import Path

import pytest
from django.core.cache import cache
from hypothesis import settings

from surveys.models import Assignment, Response
from surveys.rehearsal.demo import prepare_static_files
from tests.factories.studies import due_response, make_study, start

settings.register_profile("untimed", deadline=None)  # no test is timed
settings.load_profile("untimed")


ROOT = Path(__file__).resolve().parent.parent
SHARED = ROOT.parent / "shared"


# Fixtures that lead to a database: Django's test database, or that of a real site.
REACHING = {"db", "transactional_db", "live_server", "pristine"}
# Doors decide nothing, so their tests run on SQLite unless a module asks for every database.
DOORS = [ROOT / "tests/surveys/web" / door for door in ("annotate", "api", "console")]


def pytest_sessionstart(session: pytest.Session) -> None:
    """Collect the static files, once for all: pages name them by their digest, as in production."""
    if not hasattr(session.config, "workerinput"):
        prepare_static_files()


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what is tested on every database; `scripts/test` runs all the rest on SQLite alone."""
    for item in items:
        marks = [mark.name for mark in item.iter_markers()]
        if is_for_every_database(item.path, marks, getattr(item, "fixturenames", ())):
            item.add_marker("every_database")


def is_for_every_database(path: Path, marks: list[str], fixtures: Collection[str]) -> bool:
    """Return whether a test runs on every database: by its marks, or since it reaches one."""
    for mark in marks:  # the nearest first
        if mark in {"every_database", "either_database"}:
            return mark == "every_database"
    reaches = "django_db" in marks or not REACHING.isdisjoint(fixtures)
    return reaches and not any(path.is_relative_to(door) for door in DOORS)


def lack(part: str) -> None:
    """End a test that needs what is not here: a skip, but a failure where all must be tested."""
    end = pytest.fail if os.environ.get("CI") == "true" else pytest.skip
    end(f"{part} is not on this machine")


@pytest.fixture(autouse=True)
def background_work_is_done_at_once(settings, tmp_path_factory):
    settings.BACKGROUND = "at once"
    settings.MEDIA_ROOT = tmp_path_factory.getbasetemp() / "files"
    settings.VAR_DIR = tmp_path_factory.getbasetemp()  # each worker of pytest has its own locks


@pytest.fixture(autouse=True)
def fast_password_hasher(settings):
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]


@pytest.fixture(autouse=True)
def no_search_for_static_files(settings):
    """Skip WhiteNoise: each new test client would scan them again, longer than most pages take."""
    settings.MIDDLEWARE = [name for name in settings.MIDDLEWARE if "whitenoise" not in name]


@pytest.fixture(autouse=True)
def empty_cache(settings):
    """Give each test a cache that no other test has filled."""
    backend = "django.core.cache.backends.locmem.LocMemCache"
    settings.CACHES = {"default": {"BACKEND": backend}}
    cache.clear()


@pytest.fixture(scope="session")
def published() -> Path:
    """The published CoSimLex files, which are not part of this project."""
    folder = SHARED / "cosimlex"
    if not folder.is_dir():
        pytest.skip("the published CoSimLex files are not on this machine")
    return folder


@pytest.fixture
def assignment(db) -> Assignment:
    """A fresh assignment of two items."""
    return start(make_study(2))


@pytest.fixture
def response(assignment) -> Response:
    """The response that is due in it."""
    return due_response(assignment)
