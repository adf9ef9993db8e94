"""Outages of the database are distinguished from bugs, and logged at a limited rate."""

import logging
import sqlite3
import sys

import pytest
from django.db import InterfaceError, OperationalError, ProgrammingError, connection
from django.test import Client

from surveys.operations import outages
from surveys.operations.outages import OutageFilter, is_outage

pytestmark = pytest.mark.every_database  # errors of the driver


def caused_by(code: int) -> OperationalError:
    """Return the Django error for an SQLite error code."""
    cause = sqlite3.OperationalError("as SQLite says")
    cause.sqlite_errorcode = code
    error = OperationalError("as SQLite says")
    error.__cause__ = cause
    return error


@pytest.fixture(autouse=True)
def reset_log_limit():
    outages.LINES.reset()
    outages.PASSING_LOCKS.reset()


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (OperationalError("connection refused"), True),
        (InterfaceError("the connection is closed"), True),
        (caused_by(sqlite3.SQLITE_BUSY), True),
        (caused_by(sqlite3.SQLITE_IOERR_READ), True),
        (caused_by(sqlite3.SQLITE_FULL), True),
        (caused_by(sqlite3.SQLITE_ERROR), False),  # no such table
        (ProgrammingError("no such table"), False),
        (ValueError(), False),
        (None, False),
    ],
)
def test_is_outage_is_true_for_outages_only(error, expected):
    assert is_outage(error) is expected


def record_of(error: Exception | None, status: int) -> logging.LogRecord:
    info = (type(error), error, None) if error else None
    record = logging.LogRecord("django.request", logging.ERROR, "", 1, "%s", ("failed",), info)
    record.status_code = status
    return record


def test_an_outage_is_logged_at_a_limited_rate():
    outage_filter = OutageFilter()
    first = record_of(OperationalError("away\nwith details"), 503)

    second, third = record_of(OperationalError("away"), 503), record_of(None, 503)

    passed = [outage_filter.filter(record) for record in (first, second, third)]

    assert passed == [True, False, False]
    assert (first.getMessage(), first.exc_info) == ("the database cannot be used: away", None)


def test_background_work_logs_a_lock_only_if_it_meets_another(caplog):
    outages.log_outage(caused_by(sqlite3.SQLITE_BUSY))
    assert caplog.text == ""

    outages.log_outage(caused_by(sqlite3.SQLITE_BUSY))
    assert "the database cannot be used" in caplog.text


def test_background_work_logs_other_outages_at_once(caplog):
    outages.log_outage(caused_by(sqlite3.SQLITE_FULL))

    assert "the database cannot be used" in caplog.text


def test_a_bug_keeps_its_traceback():
    outage_filter = OutageFilter()
    outage_filter.filter(record_of(OperationalError("away"), 503))

    record = record_of(ValueError("ours"), 500)

    assert (outage_filter.filter(record), record.exc_info is not None) == (True, True)


@pytest.fixture
def broken_database(db):
    """A database that answers no queries, for example because its file is locked."""

    def refuse(*arguments, **more):
        raise caused_by(sqlite3.SQLITE_BUSY)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(connection, "cursor", refuse)
        patched.setattr(connection, "close", lambda: None)
        yield


@pytest.mark.parametrize(
    ("path", "language", "text"),
    [
        ("/invitation/nobody/", "en", "nothing that you have answered before is lost"),
        ("/invitation/nobody/", "fi", "Yritä uudelleen"),
        ("/", "sl", "Poskusite znova"),
        ("/console/sign-in/", "fi", "The database is unavailable"),
        ("/admin/login/", "en", "Please try again in a minute"),
    ],
)
def test_pages_report_an_outage(broken_database, path, language, text):
    client = Client(raise_request_exception=False)

    answer = client.get(path, headers={"Accept-Language": language})

    assert (answer.status_code, answer["Retry-After"]) == (503, "10")
    assert text in answer.content.decode()


def test_the_api_reports_an_outage_in_json(broken_database):
    client = Client(raise_request_exception=False)

    answer = client.get("/api/v1/studies/", headers={"Authorization": "Bearer cosima_x"})

    assert (answer.status_code, answer["Retry-After"]) == (503, "10")
    assert answer.json()["errors"][0]["code"] == "unavailable"


def test_a_bug_of_a_query_is_an_error_500():
    from django.test import RequestFactory

    from surveys.web.rendering.error_pages import answer_failed

    try:
        raise caused_by(sqlite3.SQLITE_ERROR)
    except OperationalError:
        assert sys.exc_info()[1] is not None
        assert answer_failed(RequestFactory().get("/")).status_code == 500
