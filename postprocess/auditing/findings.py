"""What an audit finds, and in which file."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum

import pandas as pd

from postprocess.auditing.layout import Kit
from postprocess.auditing.overlap import Pairs
from postprocess.formats.tabular import Finding, Severity


class Check(StrEnum):
    """What is checked."""

    FORMAT = "format"
    SCORES = "mean and deviation"
    PVALUES = "p-value"
    TARGETS = "targets"
    REPEATS = "repeated items"
    STIMULI = "stimuli"
    GOLD = "gold"
    RATINGS = "ratings"
    PRACTICE = "practice"


@dataclass(frozen=True, slots=True)
class Noticed:
    """A finding, the file it is in, and the check that found it."""

    check: Check
    file: str
    finding: Finding

    @property
    def is_error(self) -> bool:
        """Whether it is wrong for certain, given the assumptions."""
        return self.finding.severity is not Severity.WARNING


@dataclass
class KitAudit:
    """What came of one kit: a line of summary for each check, and the findings.

    `contexts`, shape (n_contexts, 6), says which numbers of ratings fit each context.
    """

    kit: Kit
    name: str
    pairs: Pairs
    summary: list[tuple[str, str]] = field(default_factory=list)
    noticed: list[Noticed] = field(default_factory=list)
    contexts: pd.DataFrame | None = None

    def notice(self, check: Check, file: str, findings: Iterable[Finding]) -> int:
        """Keep findings; returns how many rows they are in."""
        kept = [Noticed(check, file, finding) for finding in findings]
        self.noticed.extend(kept)
        return len({one.finding.row for one in kept if one.finding.row is not None})


@dataclass(frozen=True)
class Audit:
    """What came of all kits, and the files that are no part of any."""

    kits: tuple[KitAudit, ...]
    unknown: tuple[str, ...]

    @property
    def noticed(self) -> list[Noticed]:
        """The findings of all kits."""
        return [one for kit in self.kits for one in kit.noticed]

    @property
    def n_errors(self) -> int:
        """How many of the findings are errors."""
        return sum(one.is_error for one in self.noticed)
