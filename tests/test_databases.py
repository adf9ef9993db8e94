"""Which tests run on every database: those that reach one, unless it is all one to them.

It is all one to the tests of doors, unless they say that it matters.
"""

import pytest
from django.contrib.auth.models import User
from django.db import DataError, connection, transaction

from surveys.access.audit_log import record
from surveys.models import AuditEntry
from tests.conftest import ROOT, is_for_every_database
from tests.hostile import find_too_long, refusals_of_postgresql


def is_for_every(request: pytest.FixtureRequest) -> bool:
    return request.node.get_closest_marker("every_database") is not None


def test_what_reaches_no_database_runs_once(request):
    assert not is_for_every(request)


@pytest.mark.django_db
def test_what_is_marked_for_the_database_runs_on_every_one(request):
    assert is_for_every(request)


def test_what_is_given_the_database_by_a_fixture_runs_on_every_one(request, assignment):
    assert is_for_every(request)


@pytest.mark.either_database
def test_what_says_that_the_database_is_all_one_runs_once(request, assignment):
    assert not is_for_every(request)


@pytest.mark.parametrize(
    ("name", "marks", "expected"),
    [
        ("tests/surveys/participation/test_leases.py", ["django_db"], True),
        ("tests/surveys/web/console/test_views.py", ["django_db"], False),
        ("tests/surveys/web/console/test_whole_batch.py", ["django_db", "every_database"], True),
        ("tests/surveys/participation/test_leases.py", ["either_database"], False),
        ("tests/surveys/web/api/test_runs.py", ["either_database", "every_database"], False),
        ("postprocess/table.py", [], False),
    ],
)
def test_tests_of_doors_run_once_unless_they_are_marked(name, marks, expected):
    assert is_for_every_database(ROOT / name, marks, ["db"] if marks else []) is expected


@pytest.mark.django_db
def test_hostile_requests_meet_the_refusals_of_postgresql_on_every_database():
    for store in (
        lambda: User.objects.filter(username="a\0b").exists(),
        lambda: record("study.opened", details={"reason": "a\0b"}),
    ):
        with refusals_of_postgresql(), pytest.raises(DataError), transaction.atomic():
            store()

    assert not AuditEntry.objects.exists()


@pytest.mark.django_db
def test_hostile_requests_store_no_text_longer_than_its_column_on_any_database():
    if connection.vendor == "postgresql":
        with pytest.raises(DataError), transaction.atomic():
            AuditEntry.objects.create(actor="a" * 151, action="study.opened")
    else:
        AuditEntry.objects.create(actor="a" * 151, action="study.opened")
        assert find_too_long({"surveys_auditentry"}) == ["surveys_auditentry.actor"]
