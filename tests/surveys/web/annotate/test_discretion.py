import json
import logging
from unittest.mock import ANY

import pytest
from django.conf import settings

from surveys.web.annotate.log_redaction import JsonLinkFormatter, LinkFormatter, NoTraceback
from surveys.web.request_ids import REQUEST_ID


def written(message: str, *arguments: object, error: Exception | None = None) -> str:
    exc_info = (type(error), error, None) if error else None
    record = logging.LogRecord("x", logging.ERROR, "", 0, message, arguments, exc_info)
    return LinkFormatter().format(record)


@pytest.mark.parametrize(
    ("message", "arguments", "line"),
    [
        ("Internal Server Error: %s", ("/survey/Ab3-_x/1/words/",),
         "Internal Server Error: /survey/…/1/words/"),
        ("%s at %s", ("refused", "http://127.0.0.1:8000/invitation/Ab3-_x/"),
         "refused at http://127.0.0.1:8000/invitation/…/"),
        ("Bad Request: %s", ("/join/Ab3-_x/Cd4-_y/",), "Bad Request: /join/…"),
        ("'GET %s' took long", ("/join/Ab3-_x/?PROLIFIC_PID=5f5f&STUDY_ID=6a&SESSION_ID=7b",),
         "'GET /join/…' took long"),
        ("Not Found: %s", ("/mturk/enter/4f/?assignmentId=3A&workerId=A1B2C3D4E5F6G7",),
         "Not Found: /mturk/…"),
        ("stored %d of 100 %%", (3,), "stored 3 of 100 %"),
    ],
)  # fmt: skip
def test_link_formatter_removes_tokens_only(message, arguments, line):
    assert written(message, *arguments) == line


def test_link_formatter_removes_tokens_from_tracebacks():
    text = written("failed", error=ValueError("no page '/survey/Ab3-_x/9/'"))

    assert text == "failed\nValueError: no page '/survey/…/9/'"


def test_no_traceback_keeps_the_message():
    error = ValueError("long story")
    record = logging.LogRecord(
        "x", logging.ERROR, "", 0, "Invalid host", (), (ValueError, error, None)
    )

    assert NoTraceback().filter(record)
    assert LinkFormatter().format(record) == "Invalid host"


def test_json_lines_have_declared_fields_alone_and_no_tokens():
    record = logging.LogRecord("x", logging.ERROR, "", 0, 'at "%s"', ("/survey/Ab3-_x/9/",), None)
    record.request = "<WSGIRequest: GET '/survey/Ab3-_x/9/'>"
    described = settings.LOGGING["formatters"]["json"]
    options = {name: option for name, option in described.items() if name != "()"}
    style, form = options.pop("style"), options.pop("format")

    token = REQUEST_ID.set("5f" * 16)
    line = JsonLinkFormatter(form, style=style, **options).format(record)
    REQUEST_ID.reset(token)

    assert json.loads(line) == {
        "time": ANY, "level": "ERROR", "name": "x", "message": 'at "/survey/…/9/"',
        "request_id": "5f" * 16,
    }  # fmt: skip
