"""Log formatting that removes annotators' links and ids, and names the request."""

import logging
import re
from typing import Any

from pythonjsonlogger.json import JsonFormatter

from surveys.web.request_ids import REQUEST_ID

# /join/ and /mturk/ are followed by an own link's ticket and, in the query, provider ids;
# /sign-in/link/ and /invited/ by a token that signs a researcher in.
LINK = re.compile(r"/(invitation|survey)/[^/\s?'\"]+|/(join|mturk|sign-in/link|invited)/[^\s'\"]+")

FIELDS = ("time", "level", "name", "message", "request_id", "exc_info", "stack_info")


def redact(text: str) -> str:
    """Remove tokens from links, so that log readers cannot answer with them."""
    return LINK.sub(r"/\1\2/…", text)


class LinkFormatter(logging.Formatter):
    """Formatter of lines without the tokens of links, with the id of the request at the end."""

    def format(self, record: logging.LogRecord) -> str:
        request = REQUEST_ID.get()
        return redact(super().format(record)) + (f" [{request}]" if request else "")


class JsonLinkFormatter(JsonFormatter):
    """The same as one JSON object a line. Objects that a library adds to a record are left out."""

    def process_log_record(self, log_data: dict[str, Any]) -> dict[str, Any]:
        known = log_data | {"request_id": REQUEST_ID.get()}
        return {name: redact(str(known[name])) for name in FIELDS if known.get(name)}


class NoTraceback(logging.Filter):
    """Filter that drops tracebacks and keeps the message."""

    def filter(self, record: logging.LogRecord) -> bool:
        record.exc_info = record.exc_text = None
        return True
