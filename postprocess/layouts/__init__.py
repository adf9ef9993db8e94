"""Layouts: the files and columns in which data sets were published, read and written.

A layout is a declaration; `reading` and `writing` are the engine of all.
"""

from collections.abc import Iterable
from typing import NamedTuple

from postprocess.errors import UserError
from postprocess.formats.tabular import Finding, group_findings, unreadable

# of the layouts in `published`, which take longer to load
LAYOUT_NAMES = ("simlex", "semeval2017", "mclwic", "wic", "scws", "usim", "dwug")
Record = dict[str, str]  # a row: the name of a column in our tables → its text


class FileFinding(NamedTuple):
    """A finding and the name of its file."""

    file: str
    finding: Finding

    def __str__(self) -> str:
        return f"{self.file}: {self.finding}"


class LayoutError(UserError):
    """Files that cannot be read or written in a layout; has all findings."""

    def __init__(self, findings: Iterable[FileFinding]) -> None:
        self.findings = tuple(findings)
        super().__init__("\n".join(list_findings(self.findings)))


def refusal(file: str, what: str, advice: str) -> LayoutError:
    """Return the error that a file or folder is not what it should be."""
    return LayoutError([FileFinding(file, unreadable(what, advice))])


def list_findings(findings: Iterable[FileFinding]) -> list[str]:
    """Return findings in words; equal findings on several rows of a file are one."""
    by_file: dict[str, list[Finding]] = {}
    for file, finding in findings:
        by_file.setdefault(file, []).append(finding)
    return [f"{file}: {f}" for file, found in by_file.items() for f in group_findings(found)]
