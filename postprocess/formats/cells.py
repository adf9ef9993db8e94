"""Texts as cells of a table: none that a spreadsheet takes for a formula, and read back as it was.

A text that begins with = + - @, a tab or a carriage return, behind any number of apostrophes, gets
an apostrophe before it; a reader takes one away from what begins so. Numbers stay as they are.
"""

import re

NUMBER = r"-[0-9]+(?:\.[0-9]+)?(?:[Ee][+-]?[0-9]+)?"
FORMULA = rf"(?!{NUMBER}\Z)[=+\-@\t\r]"
UNSAFE, ESCAPED = re.compile(f"'*+{FORMULA}"), re.compile(f"'++{FORMULA}")


def write_cell(text: str) -> str:
    """Return a text as a cell that no spreadsheet takes for a formula.

    >>> [write_cell(text) for text in ("=1+1", "'=1", "salt", "'tis", "-0.5")]
    ["'=1+1", "''=1", 'salt', "'tis", '-0.5']
    """
    return f"'{text}" if UNSAFE.match(text) else text


def read_cell(cell: str) -> str:
    """Return the text of which `write_cell` made a cell.

    >>> [read_cell(cell) for cell in ("'=1+1", "''=1", "salt", "'tis", "-0.5")]
    ['=1+1', "'=1", 'salt', "'tis", '-0.5']
    """
    return cell[1:] if ESCAPED.match(cell) else cell
