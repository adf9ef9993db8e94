import logging
import re

# Behind /join/ and /mturk/ stand a person's own ticket and, in the query, who they are elsewhere;
# behind /sign-in/link/ what signs a researcher in.
LINK = re.compile(r"/(invitation|survey)/[^/\s?'\"]+|/(join|mturk|sign-in/link)/[^\s'\"]+")


class LinkFormatter(logging.Formatter):
    """Takes the token out of annotators' links: whoever reads a log must not be able to answer."""

    def format(self, record: logging.LogRecord) -> str:
        return LINK.sub(r"/\1\2/…", super().format(record))


class NoTraceback(logging.Filter):
    """Leaves of an error its one line."""

    def filter(self, record: logging.LogRecord) -> bool:
        record.exc_info = record.exc_text = None
        return True
