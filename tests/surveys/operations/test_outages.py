"""An outage of the database is told from a fault of ours, and fills no log."""

import logging
import sqlite3
import sys

import pytest
from django.db import InterfaceError, OperationalError, ProgrammingError, connection
from django.test import Client

from surveys.operations import outages
from surveys.operations.outages import OutageFilter, is_outage


def caused_by(code: int) -> OperationalError:
    """What Django makes of an error of SQLite."""
    cause = sqlite3.OperationalError("as SQLite says")
    cause.sqlite_errorcode = code
    error = OperationalError("as SQLite says")
    error.__cause__ = cause
    return error


@pytest.fixture(autouse=True)
def nothing_was_logged():
    outages.LINES.reset()


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
def test_is_outage_tells_an_outage_from_a_fault(error, expected):
    assert is_outage(error) is expected


def record_of(error: Exception | None, status: int) -> logging.LogRecord:
    info = (type(error), error, None) if error else None
    record = logging.LogRecord("django.request", logging.ERROR, "", 1, "%s", ("failed",), info)
    record.status_code = status
    return record


def test_an_outage_is_a_line_once_in_a_while():
    kept = OutageFilter()
    first = record_of(OperationalError("away\nwith details"), 503)

    passed = [kept.filter(first), kept.filter(record_of(OperationalError("away"), 503)),
              kept.filter(record_of(None, 503))]  # fmt: skip

    assert passed == [True, False, False]
    assert (first.getMessage(), first.exc_info) == ("the database cannot be used: away", None)


def test_a_fault_keeps_its_traceback():
    kept = OutageFilter()
    kept.filter(record_of(OperationalError("away"), 503))

    record = record_of(ValueError("ours"), 500)

    assert (kept.filter(record), record.exc_info is not None) == (True, True)


@pytest.fixture
def broken_database(db):
    """A database that answers no question: its file is held by another process, say."""

    def refuse(*arguments, **more):
        raise caused_by(sqlite3.SQLITE_BUSY)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(connection, "cursor", refuse)
        patched.setattr(connection, "close", lambda: None)
        yield


@pytest.mark.parametrize(
    ("path", "language", "said"),
    [
        ("/invitation/nobody/", "en", "nothing that you have answered before is lost"),
        ("/invitation/nobody/", "fi", "Yritä uudelleen"),
        ("/", "sl", "Poskusite znova"),
        ("/console/sign-in/", "fi", "The site cannot use its database now"),
        ("/admin/login/", "en", "Please try again in a minute"),
    ],
)
def test_pages_say_that_the_database_is_away(broken_database, path, language, said):
    client = Client(raise_request_exception=False)

    answer = client.get(path, headers={"Accept-Language": language})

    assert (answer.status_code, answer["Retry-After"]) == (503, "10")
    assert said in answer.content.decode()


def test_the_api_says_it_in_json(broken_database):
    client = Client(raise_request_exception=False)

    answer = client.get("/api/v1/studies/", headers={"Authorization": "Bearer cosima_x"})

    assert (answer.status_code, answer["Retry-After"]) == (503, "10")
    assert answer.json()["errors"][0]["code"] == "unavailable"


def test_a_failure_that_is_no_outage_stays_one():
    from django.test import RequestFactory

    from surveys.web.rendering.error_pages import answer_failed

    try:
        raise caused_by(sqlite3.SQLITE_ERROR)
    except OperationalError:
        assert sys.exc_info()[1] is not None
        assert answer_failed(RequestFactory().get("/")).status_code == 500
