"""The results of an audit: findings by file and check."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum

import pandas as pd

from postprocess.auditing.folder import Kit
from postprocess.auditing.overlap import Pairs
from postprocess.formats.tabular import Finding, Severity


class Check(StrEnum):
    """A kind of check."""

    FORMAT = "format"
    SCORES = "mean and deviation"
    PVALUES = "p-value"
    TARGETS = "targets"
    REPEATS = "repeated items"
    STIMULI = "stimuli"
    GOLD = "gold"
    RATINGS = "ratings"
    PRACTICE = "practice"
    LAYOUT = "layout"


@dataclass(frozen=True, slots=True)
class AuditFinding:
    """A finding, with its file and its check."""

    check: Check
    file: str
    finding: Finding

    @property
    def is_error(self) -> bool:
        """Whether it is certainly wrong under the assumptions."""
        return self.finding.severity is not Severity.WARNING


@dataclass
class KitAudit:
    """The audit of one kit: a summary line for each check, and the findings.

    `contexts`, shape (n_contexts, 6), lists the numbers of ratings that fit each context.
    """

    kit: Kit
    name: str
    pairs: Pairs
    summary: list[tuple[str, str]] = field(default_factory=list)
    findings: list[AuditFinding] = field(default_factory=list)
    contexts: pd.DataFrame | None = None

    def add(self, check: Check, file: str, findings: Iterable[Finding]) -> int:
        """Add findings; return the number of rows that have any."""
        findings = list(findings)
        self.findings.extend(AuditFinding(check, file, finding) for finding in findings)
        return len({finding.row for finding in findings if finding.row is not None})


@dataclass(frozen=True)
class Audit:
    """The audits of all kits, and the files that belong to none."""

    kits: tuple[KitAudit, ...]
    unknown: tuple[str, ...]

    @property
    def findings(self) -> list[AuditFinding]:
        """The findings of all kits."""
        return [entry for kit in self.kits for entry in kit.findings]

    @property
    def n_errors(self) -> int:
        """The number of findings that are errors."""
        return sum(entry.is_error for entry in self.findings)
