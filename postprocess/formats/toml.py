"""Reading untrusted TOML (settings and descriptions) in linear time and with limited depth.

`Section` is a model of a table of such a file, with messages on invalid entries.
"""

import hashlib
import re
import tomllib
from typing import Any, Self

import tomli_w
from pydantic import BaseModel, ConfigDict, ValidationError
from pydantic_core import ErrorDetails

from postprocess.formats.kinds import decode_text

LONGEST_SHOWN = 40  # characters of a value that is quoted in a message

MOST_PARTS = 20  # of a dotted key; `tomllib` takes quadratic time in their number
LONGEST_TOML = 1_000_000  # bytes or characters
KEY = r"""(?:[A-Za-z0-9_-]++|"(?>(?:[^"\\\n]|\\.)*)"|'[^'\n]*+')"""
LONG_KEY = re.compile(
    rf"(?:^|[\[{{,])[ \t]*+(?:{KEY}[ \t]*+\.[ \t]*+){{{MOST_PARTS}}}", re.MULTILINE
)
COMMENTS = re.compile(
    r'''"""(?>(?:[^"\\]|\\.|"(?!""))*)"{3,5}|\'{3}(?>(?:[^\']|\'(?!\'\'))*)\'{3,5}'''
    r"""|"(?>(?:[^"\\\n]|\\.)*)"|\'[^\'\n]*+\'|(?P<comment>\#[^\n]*+)""",
    re.DOTALL,
)


class TomlError(ValueError):
    """Invalid TOML, or TOML beyond the limits; the message gives the reason."""


def parse_toml(text: str | bytes) -> dict[str, Any]:
    """Return the entries of a TOML text; bytes are UTF-8, with or without byte order mark.

    Raises TomlError for a text that is not UTF-8, not TOML, longer than `LONGEST_TOML`, or has
    tables or lists nested too deeply, a key of more than `MOST_PARTS` parts, or a number of
    thousands of digits.

    >>> parse_toml(b"title = 'Words'")
    {'title': 'Words'}
    """
    if len(text) > LONGEST_TOML:
        raise TomlError(f"it is longer than {LONGEST_TOML:,} characters")
    try:
        decoded = decode_text(text) if isinstance(text, bytes) else text
        if LONG_KEY.search(decoded):
            raise TomlError(f"a key has more than {MOST_PARTS} parts")
        return tomllib.loads(decoded)
    except RecursionError as error:
        raise TomlError("its lists or tables are nested too deeply") from error
    except ValueError as error:
        raise TomlError(str(error)) from error


def find_comments(text: str) -> list[str]:
    """Return the comments of a valid TOML text, without surrounding space.

    >>> find_comments("a = '# no'  # yes")
    ['# yes']
    """
    comments = (match["comment"] for match in COMMENTS.finditer(text))
    return [comment.strip() for comment in comments if comment]


class Section(BaseModel):
    """A table of a settings file: strict, immutable, without unknown entries or infinities."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False, strict=True)

    @classmethod
    def read(cls, entries: dict[str, Any], noun: str, refusal: type[ValueError]) -> Self:
        """Return the entries as a section; `noun` is the term for an entry, such as "setting".

        Raises the given kind of error with a line for each problem: the place, the reason, and
        the value if it is short. List items count from 1.
        """
        try:
            return cls.model_validate(entries)
        except ValidationError as error:
            raise refusal("\n".join(_explain(e, noun) for e in error.errors())) from error


class Document(Section):
    """A whole settings file."""

    def render(self) -> str:
        """Return the text of the file: every entry that is set, always in the same order."""
        return tomli_w.dumps(self.model_dump(exclude_none=True))

    def digest(self) -> str:
        """Return the SHA-256 of the file."""
        return hashlib.sha256(self.render().encode()).hexdigest()


def _explain(error: ErrorDetails, noun: str) -> str:
    place = ".".join(str(part + 1 if isinstance(part, int) else part) for part in error["loc"])
    if error["type"] == "extra_forbidden":
        return f"{place}: unknown {noun}"
    given = repr(error["input"])
    shown = not isinstance(error["input"], dict) and len(given) <= LONGEST_SHOWN
    reason = error["msg"].removeprefix("Value error, ")
    message = f"{reason[0].lower()}{reason[1:]}{f' (given: {given})' if shown else ''}"
    return f"{place}: {message}" if place else message
