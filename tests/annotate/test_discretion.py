import logging

import pytest

from surveys.annotate.discretion import LinkFilter


@pytest.mark.parametrize(
    ("message", "arguments", "written"),
    [
        ("Internal Server Error: %s", ("/survey/Ab3-_x/1/words/",),
         "Internal Server Error: /survey/…/1/words/"),
        ("%s at %s", ("refused", "http://127.0.0.1:8000/invitation/Ab3-_x/"),
         "refused at http://127.0.0.1:8000/invitation/…/"),
        ("stored %d of 100 %%", (3,), "stored 3 of 100 %"),
    ],
)  # fmt: skip
def test_link_filter_takes_out_tokens_and_nothing_else(message, arguments, written):
    record = logging.LogRecord("django.request", logging.ERROR, "", 0, message, arguments, None)

    assert LinkFilter().filter(record)

    assert record.getMessage() == written
