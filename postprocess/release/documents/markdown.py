"""Escaping text for Markdown."""

import re

from postprocess.release.description.missing_text import mark

SPECIAL = re.compile(r"([\\`*_\[\]#|~${}!])")
BLOCK_START = re.compile(r"^(\s*)([-+=:]|\d+(?=[.)](?:\s|$)))")


def escape(text: str) -> str:
    r"""Return a text on one line, with all characters escaped that Markdown would interpret.

    >>> escape("<b>1 | 2</b> *x*")
    '&lt;b&gt;1 \\| 2&lt;/b&gt; \\*x\\*'
    """
    line = " ".join(text.split())
    harmless = line.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return _escape_start(SPECIAL.sub(r"\\\1", harmless))


def escape_prose(text: str) -> str:
    """Return an escaped text of several paragraphs, separated by empty lines."""
    paragraphs = re.split(r"\n\s*\n", text.strip())
    return "\n\n".join(escape(paragraph) for paragraph in paragraphs)


def write(text: str | None, section: str, what: str) -> str:
    """Return a text that a person wrote, escaped, or the placeholder for it."""
    return escape_prose(text) if text else f"**{mark(section, what)}**"


def _escape_start(line: str) -> str:
    """Escape a first character that would make the line a list item, rule or heading."""
    start = BLOCK_START.match(line)
    if start is None:
        return line
    space, sign = start.groups()
    if sign.isdigit():
        return f"{space}{sign}\\{line[start.end() :]}"
    return f"{space}\\{sign}{line[start.end() :]}"
