import gc
import os
import re
import signal
import sys
from collections.abc import Generator
from pathlib import Path

import pytest
from django.conf import settings
from django.core.cache import cache
from django.template import Template
from django.test import override_settings
from django.test.utils import instrumented_test_render
from hypothesis import settings as hypothesis_settings

from surveys.models import Assignment, Response
from surveys.rehearsal.demo import prepare_static_files
from tests.factories.studies import due_response, make_study, start
from tests.fixtures.migrated import django_db_modify_db_settings
from tests.machine import COSIMLEX

__all__ = ["django_db_modify_db_settings"]  # a fixture

gc.disable()  # until all tests are collected: importing makes only objects that stay

# No test is timed. Most properties also have hand-worked cases, and each run tries other examples.
hypothesis_settings.register_profile("cosima", deadline=None, max_examples=40)
hypothesis_settings.load_profile("cosima")


SHARED_SERVERS = {"browser", "shared_site"}  # fixtures
MODELS = "torch"  # a fixture
WAITING = {"end_to_end", "documents"}  # folders
# Besides the models' tests, those that take most of the CPU time without a browser.
SLOW = (
    "agreement/*", "auditing/*", "bundles/*", "commands/*", "contexts/search/*", "crowd/mturk/*",
    "crowd/web/console/*", "documents/*", "end_to_end/*", "figures/*", "finished/*", "frozen/*",
    "models/*", "planning/*", "rehearsal/*", "release/*", "reporting/*", "scoring/*", "steps/*",
    "two_collections/*", "web/public/*", "windows/*", "test_access.py", "test_admin*.py",
    "monitoring/test_agreement.py", "test_apps.py", "test_archive.py", "test_assembling.py",
    "test_audit_log.py", "test_bench.py", "test_broker.py", "selection/test_candidates.py",
    "test_collection_rules.py", "test_command_line.py", "test_comparisons.py", "test_conllu.py",
    "test_courtesies.py", "test_croissant.py", "test_effects.py", "test_erasure.py",
    "review/test_evidence.py", "test_exactly_once.py", "test_examining.py", "test_gallery.py",
    "test_gateway.py", "test_hostile.py", "test_item_kinds.py", "test_letters.py",
    "test_lifecycle.py", "test_naive.py", "test_numbering.py", "review/test_order.py",
    "test_packaging.py", "console/test_pairs.py", "test_pipeline.py", "test_privacy.py",
    "test_probing.py", "test_queries.py", "test_refusals.py", "test_release*.py",
    "test_renaming.py", "test_replication.py", "test_results.py", "console/test_review.py",
    "api/test_runs.py", "test_sampling.py", "test_schema.py", "test_scripts.py",
    "console/test_searches.py", "test_settings.py", "test_sign_in.py", "test_spelling.py",
    "test_submission_rights.py", "api/test_submissions.py", "test_submitting.py", "test_udpipe.py",
    "test_unscored.py", "test_verification.py", "test_visitors.py", "test_walks.py",
    "api/test_webhooks.py", "test_work.py", "api/test_worked_example.py",
)  # fmt: skip
OFF = {*settings.ALL_APPS} - {*settings.APPS}  # apps that are left out of this run
NEEDS = re.compile(
    rf"^(pytestmark = .*\bneeds\(.*|from surveys\.)({'|'.join(OFF)})\b", re.MULTILINE
)
LONG = {"test_whole_study.py", "test_serve.py", "test_commands.py", "test_background.py"}


def pytest_sessionstart(session: pytest.Session) -> None:
    """Collect the static files, once for all: pages name them by their digest, as in production."""
    # A shell's background jobs ignore Ctrl+C, and so would the servers that tests stop by it.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    if not hasattr(session.config, "workerinput"):
        prepare_static_files()


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave out modules that import an app that is switched off, or are marked for it.

    And the slow modules, where slow tests are not asked for: importing them takes seconds.
    """
    if config.getoption("markexpr") == "not slow" and is_slow(collection_path):
        return True
    if OFF and collection_path.suffix == ".py":
        return bool(NEEDS.search(collection_path.read_text(encoding="utf-8"))) or None
    return None


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(
    collector: pytest.Collector,
) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """Refuse the models of an app that is switched off: other tests would miss their tables."""
    before = list_imported()
    report = yield
    if imported := list_imported() - before:
        report.outcome = "failed"
        report.longrepr = f"{collector.nodeid} imports {imported}: mark it with needs(...)."
    return report


def list_imported() -> set[str]:
    """Return the apps that are switched off and whose models were imported all the same."""
    return {app for app in OFF if f"surveys.{app}.models" in sys.modules}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark slow tests, and put tests that wait for servers first, so that none is the last to run.

    Processes side by side begin with equal parts of the list, one after another. The tests that
    share a browser or a site are at the beginning of the first part, so that one process has them,
    and those that start their own servers at the beginning of the second.
    """
    items[:] = [item for item in items if not OFF & list_needs(item)]
    slow = {path for path in {item.path for item in items} if is_slow(path)}
    for item in items:
        if item.path in slow or MODELS in item.fixturenames:
            item.add_marker(pytest.mark.slow)
    sharing = {item.path for item in items if SHARED_SERVERS & {*item.fixturenames}}
    shared = [item for item in items if item.path in sharing]
    others = [item for item in items if item.path not in sharing]
    waiting = [item for item in others if item.path.parent.name in WAITING]
    quick = [item for item in others if item.path.parent.name not in WAITING]
    for begun_first in (shared, waiting):
        begun_first.sort(key=lambda item: item.path.name not in LONG)
    n_processes = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))
    n_between = max(0, len(items) // n_processes - len(shared))
    items[:] = [*shared, *quick[:n_between], *waiting, *quick[n_between:]]


def is_slow(path: Path) -> bool:
    """Tell whether all tests of a module or folder are slow."""
    return any(path.match(name) for name in SLOW)


def list_needs(item: pytest.Item) -> set[str]:
    """Return the apps that a test needs."""
    return {app for mark in item.iter_markers("needs") for app in mark.args}


def pytest_collection_finish(session: pytest.Session) -> None:
    """Leave what was imported out of every garbage collection: hardly any of it is garbage."""
    gc.freeze()
    # With the usual threshold, tests collect for a twentieth of the time.
    gc.set_threshold(20_000, 20, 20)
    gc.enable()


@pytest.fixture(scope="session", autouse=True)
def settings_of_tests(tmp_path_factory):
    """Set for all tests, at once, what would otherwise take longer than many a test.

    Background work is done in the request. Passwords are hashed quickly. Without WhiteNoise, which
    searches for static files with each new client. Each worker of pytest has its own files and
    locks.
    """
    own = tmp_path_factory.getbasetemp()
    with override_settings(
        BACKGROUND="at once",
        CACHES={"default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"}},
        MEDIA_ROOT=own / "files",
        MIDDLEWARE=[name for name in settings.MIDDLEWARE if "whitenoise" not in name],
        PASSWORD_HASHERS=["django.contrib.auth.hashers.MD5PasswordHasher"],
        VAR_DIR=own,
    ):
        yield


@pytest.fixture(scope="session", autouse=True)
def uncopied_contexts(django_test_environment):
    """Let clients keep no copy of the context of each template, which takes an eighth of the time.

    Tests that look at the context of a page use `kept_contexts`.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Template, "_render", lambda self, context: self.nodelist.render(context))
        yield


@pytest.fixture(scope="session", autouse=True)
def rows_deleted_after_tests():
    """On PostgreSQL, delete the rows after a test that commits, as Django does on SQLite.

    TRUNCATE makes new files of every table and index: two seconds, for a few rows.
    """

    def delete_rows(self, style, tables, **options):
        return [f"DELETE FROM {self.quote_name(name)};" for name in tables]  # noqa: S608

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            "django.db.backends.postgresql.operations.DatabaseOperations.sql_flush", delete_rows
        )
        yield


@pytest.fixture
def kept_contexts(monkeypatch):
    """Let clients keep the context of each page, as `answer.context`."""
    monkeypatch.setattr(Template, "_render", instrumented_test_render)


@pytest.fixture(autouse=True)
def empty_cache():
    """Give each test a cache that no other test has filled."""
    cache.clear()


@pytest.fixture(scope="session")
def published() -> Path:
    """The published CoSimLex files, which are not part of this project."""
    if not COSIMLEX.is_dir():
        pytest.skip("the published CoSimLex files are not here: scripts/fetch_published")
    return COSIMLEX


@pytest.fixture
def assignment(db) -> Assignment:
    """A fresh assignment of two items."""
    return start(make_study(2))


@pytest.fixture
def response(assignment) -> Response:
    """The response that is due in it."""
    return due_response(assignment)
