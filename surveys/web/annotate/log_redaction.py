"""Log formatting that removes annotators' links and ids."""

import logging
import re

# /join/ and /mturk/ are followed by an own link's ticket and, in the query, provider ids;
# /sign-in/link/ and /invited/ by a token that signs a researcher in.
LINK = re.compile(r"/(invitation|survey)/[^/\s?'\"]+|/(join|mturk|sign-in/link|invited)/[^\s'\"]+")


class LinkFormatter(logging.Formatter):
    """Formatter that removes tokens from links, so that log readers cannot answer with them."""

    def format(self, record: logging.LogRecord) -> str:
        return LINK.sub(r"/\1\2/…", super().format(record))


class NoTraceback(logging.Filter):
    """Filter that drops tracebacks and keeps the message."""

    def filter(self, record: logging.LogRecord) -> bool:
        record.exc_info = record.exc_text = None
        return True
