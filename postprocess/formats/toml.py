"""Reading untrusted TOML (settings and descriptions) in linear time and with limited depth."""

import re
import tomllib
from typing import Any

from postprocess.formats.kinds import decode_text

MOST_PARTS = 20  # of a dotted key; `tomllib` takes quadratic time in their number
LONGEST_TOML = 1_000_000  # bytes or characters
KEY = r"""(?:[A-Za-z0-9_-]++|"(?:[^"\\\n]|\\.)*+"|'[^'\n]*+')"""
LONG_KEY = re.compile(
    rf"(?:^|[\[{{,])[ \t]*+(?:{KEY}[ \t]*+\.[ \t]*+){{{MOST_PARTS}}}", re.MULTILINE
)
COMMENTS = re.compile(
    r'''"""(?:[^"\\]|\\.|"(?!""))*+"{3,5}|\'{3}(?:[^\']|\'(?!\'\'))*+\'{3,5}'''
    r"""|"(?:[^"\\\n]|\\.)*+"|\'[^\'\n]*+\'|(?P<comment>\#[^\n]*+)""",
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
