"""The kinds of text that a description holds, and what is refused of each."""

import re
import unicodedata
from typing import Annotated

from pydantic import AfterValidator

LONGEST_LINE = 500
LONGEST_PROSE = 20_000
MARK = "TO BE WRITTEN BY A PERSON"
STAND_IN = re.compile(rf"\b(TODO|TBD|FIXME|XXX)\b|(?i:lorem ipsum)|{MARK}")


def _check_line(text: str) -> str:
    """The text without space around it, if it is one line."""
    line = text.strip()
    if "\n" in line or "\r" in line:
        raise ValueError("must be a single line")
    _refuse(line, LONGEST_LINE)
    return line


def _check_prose(text: str) -> str:
    """The text with LF line ends and without space around it."""
    prose = text.replace("\r\n", "\n").replace("\t", " ").strip()
    _refuse(prose.replace("\n", " "), LONGEST_PROSE)
    return prose


def _check_body(text: str) -> str:
    """A text that annotators read, kept as it is but for its line ends."""
    body = text.replace("\r\n", "\n").replace("\r", "\n").strip()
    if "\0" in body:
        raise ValueError("holds a null character")
    return body


def _refuse(text: str, longest: int) -> None:
    if len(text) > longest:
        raise ValueError(f"is longer than {longest} characters")
    if control := next(
        (c for c in text if unicodedata.category(c) in {"Cc", "Cs", "Zl", "Zp"}), None
    ):
        raise ValueError(f"holds the control character U+{ord(control):04X}")
    if stand_in := STAND_IN.search(text):
        raise ValueError(
            f'still holds the placeholder "{stand_in[0]}"; write it, or leave it out, and the '
            "release lists what is missing"
        )


def _check_url(text: str) -> str:
    if not re.fullmatch(r"https?://[^\s<>\"{}|\\^`]+", text):
        raise ValueError("must be an address such as https://example.org/data")
    return text


Line = Annotated[str, AfterValidator(_check_line)]
Prose = Annotated[str, AfterValidator(_check_prose)]
Body = Annotated[str, AfterValidator(_check_body)]
Url = Annotated[str, AfterValidator(_check_url)]
