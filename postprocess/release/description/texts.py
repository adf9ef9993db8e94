"""Types of the texts in a description, and their validation."""

import re
import unicodedata
from typing import Annotated

from pydantic import AfterValidator

MAX_LINE_LENGTH = 500
MAX_PROSE_LENGTH = 20_000
MARK = "TO BE WRITTEN BY A PERSON"
PLACEHOLDER = re.compile(rf"\b(TODO|TBD|FIXME|XXX)\b|(?i:lorem ipsum)|{MARK}")


def _check_line(text: str) -> str:
    """Return the text without surrounding space. Raises ValueError unless it is one line."""
    line = text.strip()
    if "\n" in line or "\r" in line:
        raise ValueError("must be a single line")
    _refuse(line, MAX_LINE_LENGTH)
    return line


def _check_prose(text: str) -> str:
    """Return the text with LF line ends and without surrounding space."""
    prose = text.replace("\r\n", "\n").replace("\t", " ").strip()
    _refuse(prose.replace("\n", " "), MAX_PROSE_LENGTH)
    return prose


def _check_body(text: str) -> str:
    """Return a text that annotators read, with LF line ends and otherwise unchanged."""
    body = text.replace("\r\n", "\n").replace("\r", "\n").strip()
    if "\0" in body:
        raise ValueError("contains a null character")
    return body


def _refuse(text: str, max_length: int) -> None:
    if len(text) > max_length:
        raise ValueError(f"is longer than {max_length} characters")
    if control := next(
        (c for c in text if unicodedata.category(c) in {"Cc", "Cs", "Zl", "Zp"}), None
    ):
        raise ValueError(f"contains the control character U+{ord(control):04X}")
    if placeholder := PLACEHOLDER.search(text):
        raise ValueError(
            f'still contains the placeholder "{placeholder[0]}"; write the text or omit the '
            "entry: the release lists missing texts"
        )


def _check_url(text: str) -> str:
    if not re.fullmatch(r"https?://[^\s<>\"{}|\\^`]+", text):
        raise ValueError("must be a URL such as https://example.org/data")
    return text


Line = Annotated[str, AfterValidator(_check_line)]
Prose = Annotated[str, AfterValidator(_check_prose)]
Body = Annotated[str, AfterValidator(_check_body)]
Url = Annotated[str, AfterValidator(_check_url)]
