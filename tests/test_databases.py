"""Which tests run on PostgreSQL, too: those of code whose outcome depends on the database."""

import re

import pytest
from django.contrib.auth.models import User
from django.db import DataError, connection, transaction

from surveys.access.audit_log import record
from surveys.models import AuditEntry
from tests.hostile import find_too_long, refusals_of_postgresql
from tests.machine import ROOT

# SQL of our own, functions that databases spell differently, answers of constraints, search.
# Locks are in the tables of `test_locks.py`, by action.
DEPENDS = re.compile(
    r"\.cursor\(|connection\.vendor|\bas_sqlite|\bCast\("
    r"|IntegrityError|ignore_conflicts|icontains"
)
# Modules that tests reach by a page or a command, not by an import.
REACHED_BY = {
    "surveys.access.idempotency": "tests/surveys/web/api/test_idempotency.py",
    "surveys.models.recruitment": "tests/surveys/web/console/test_recruitment.py",
    "surveys.models.results": "tests/surveys/rehearsal/test_direct.py",
    "surveys.models.stimuli": "tests/surveys/study/test_create.py",
    "surveys.moving.export": "tests/surveys/moving/test_moving.py",
    "surveys.moving.importing": "tests/surveys/moving/test_moving.py",
    "surveys.operations.backups.archive": "tests/end_to_end/test_backups.py",
    "surveys.operations.backups.dumps": "tests/end_to_end/test_backups.py",
    "surveys.operations.gauges": "tests/surveys/web/console/test_site.py",
    "surveys.operations.health": "tests/surveys/operations/test_health.py",
    "surveys.privacy.subject_access": "tests/surveys/web/console/test_privacy.py",
    "surveys.web.console.study.stimuli": "tests/surveys/web/console/test_stimuli.py",
}
TESTS = [path for path in (ROOT / "tests").rglob("test_*.py") if path.name != "test_databases.py"]


def is_marked(text: str) -> bool:
    return "pytest.mark.every_database" in text


def test_code_that_depends_on_the_database_is_tested_on_every_one():
    marked = {str(path.relative_to(ROOT)): path.read_text() for path in TESTS}
    marked = {name: text for name, text in marked.items() if is_marked(text)}
    imports = set(re.findall(r"^from (\S+) import", "\n".join(marked.values()), re.MULTILINE))
    depending = {
        ".".join(path.relative_to(ROOT).with_suffix("").parts)
        for path in (ROOT / "surveys").rglob("*.py")
        if "migrations" not in path.parts and DEPENDS.search(path.read_text())
    }

    assert set(REACHED_BY.values()) <= marked.keys()
    assert depending >= REACHED_BY.keys()
    assert depending - imports - REACHED_BY.keys() == set()


def test_what_is_skipped_on_sqlite_runs_on_postgresql():
    skipping = [
        path.name
        for path in TESTS
        if re.search(r"skipif\(\s*connection\.vendor", path.read_text())
        if not is_marked(path.read_text())
    ]

    assert skipping == []


@pytest.mark.every_database
@pytest.mark.django_db
def test_hostile_requests_meet_the_refusals_of_postgresql_on_every_database():
    for store in (
        lambda: User.objects.filter(username="a\0b").exists(),
        lambda: record("study.opened", details={"reason": "a\0b"}),
    ):
        with refusals_of_postgresql(), pytest.raises(DataError), transaction.atomic():
            store()

    assert not AuditEntry.objects.exists()


@pytest.mark.every_database
@pytest.mark.django_db
def test_hostile_requests_store_no_text_longer_than_its_column_on_any_database():
    if connection.vendor == "postgresql":
        with pytest.raises(DataError), transaction.atomic():
            AuditEntry.objects.create(actor="a" * 151, action="study.opened")
    else:
        AuditEntry.objects.create(actor="a" * 151, action="study.opened")
        assert find_too_long({"surveys_auditentry"}) == ["surveys_auditentry.actor"]
