"""Text in Markdown that is text and nothing else."""

import re
from collections.abc import Iterable, Sequence

from postprocess.release.unwritten import mark

SPECIAL = re.compile(r"([\\`*_\[\]#|~${}!])")
BLOCK_START = re.compile(r"^(\s*)([-+=:]|\d+(?=[.)](?:\s|$)))")
MARKED_MARK = "**{}**"


def escape(text: str) -> str:
    r"""A text on one line as Markdown shows it, whatever signs are in it.

    >>> escape("<b>1 | 2</b> *x*")
    '&lt;b&gt;1 \\| 2&lt;/b&gt; \\*x\\*'
    """
    line = " ".join(text.split())
    harmless = line.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return _escape_start(SPECIAL.sub(r"\\\1", harmless))


def escape_prose(text: str) -> str:
    """A text of paragraphs as Markdown shows it; an empty line divides them."""
    paragraphs = re.split(r"\n\s*\n", text.strip())
    return "\n\n".join(escape(paragraph) for paragraph in paragraphs)


def told(text: str | None, section: str, what: str) -> str:
    """A text that a person wrote, escaped; or the mark that it is still to be written."""
    return escape_prose(text) if text else MARKED_MARK.format(mark(section, what))


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table of cells that are escaped already."""
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def bullets(items: Iterable[str]) -> str:
    """A list of items that are escaped already."""
    return "\n".join(f"- {item}" for item in items)


def join_blocks(blocks: Iterable[str]) -> str:
    """Blocks with an empty line between them; empty ones are left out."""
    return "\n\n".join(block for block in blocks if block) + "\n"


def _escape_start(line: str) -> str:
    """The line without a sign at its start that would make it a list, rule or heading."""
    start = BLOCK_START.match(line)
    if start is None:
        return line
    space, sign = start.groups()
    if sign.isdigit():
        return f"{space}{sign}\\{line[start.end() :]}"
    return f"{space}\\{sign}{line[start.end() :]}"
