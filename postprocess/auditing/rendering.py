"""Rendering an audit as text and as tables."""

import math
from collections.abc import Iterator
from itertools import groupby
from typing import NamedTuple

from postprocess.auditing.findings import Audit, AuditFinding, KitAudit
from postprocess.auditing.reconstruction.sample_sizes import name_sizes
from postprocess.formats.tabular import render_rows
from postprocess.reporting.phrases import write_count
from postprocess.table.ratings import name_some

MAX_SHOWN = 10  # findings of one check in one file
FINDING_COLUMNS = ("severity", "check", "file", "row", "column", "reason")
CONTEXT_COLUMNS = ("file", "row", "context", "sim", "stdev", "fitting")
FINDINGS_FILE, CONTEXTS_FILE = "audit_findings.tsv", "audit_contexts.tsv"


class FindingLine(NamedTuple):
    """A finding in words; `kind` is "error" or "warning", and empty for the number of others."""

    kind: str
    text: str


def render_audit(audit: Audit, *, with_details: bool = False) -> str:
    """Return the audit as text: summaries and findings of each kit, and the files not read.

    At most ten findings of a check in a file are shown; `with_details` shows all, and the
    numbers of ratings that fit each context.
    """
    lines = [line for kit in audit.kits for line in _kit_lines(kit, with_details=with_details)]
    if audit.unknown:
        lines += [f"not read: {name_some(list(audit.unknown))}", ""]
    lines.append(count_findings(audit))
    return "\n".join(lines) + "\n"


def list_findings(kit: KitAudit, *, with_details: bool = False) -> Iterator[FindingLine]:
    """Yield the findings of a kit; without details, the first ten of a check in a file."""
    for _, group in groupby(kit.findings, key=lambda entry: (entry.check, entry.file)):
        yield from _shorten(list(group), with_details=with_details)


def list_fitting(kit: KitAudit) -> Iterator[str]:
    """Yield the numbers of ratings that fit each context of a kit, a line for each context."""
    if kit.contexts is not None:
        for _, row, context, *_, fitting in kit.contexts.itertuples(index=False):
            yield f"row {row}, context {context}: {name_sizes(fitting) or 'no number of'} ratings"


def count_findings(audit: Audit) -> str:
    """Return the numbers of errors and warnings in words."""
    n_warnings = len(audit.findings) - audit.n_errors
    return f"{write_count(audit.n_errors, 'error')}, {write_count(n_warnings, 'warning')}"


def render_tables(audit: Audit) -> dict[str, bytes]:
    """Return the findings, and the numbers of ratings that fit each context, as TSV files."""
    rows = [
        (
            "error" if entry.is_error else "warning",
            entry.check,
            entry.file,
            "" if entry.finding.row is None else str(entry.finding.row),
            entry.finding.column or "",
            " ".join(entry.finding.reason.split()),
        )
        for entry in audit.findings
    ]
    tables = {
        FINDINGS_FILE: render_rows(FINDING_COLUMNS, rows),
        CONTEXTS_FILE: render_rows(CONTEXT_COLUMNS, _context_rows(audit)),
    }
    return {name: text.encode() for name, text in tables.items()}


def _context_rows(audit: Audit) -> Iterator[tuple[str, ...]]:
    for kit in audit.kits:
        if kit.contexts is not None:
            for *place, sim, stdev, fitting in kit.contexts.itertuples(index=False):
                figures = ("" if math.isnan(x) else f"{x:.12g}" for x in (sim, stdev))
                yield (*map(str, place), *figures, " ".join(map(str, fitting)))


def _kit_lines(kit: KitAudit, *, with_details: bool) -> Iterator[str]:
    yield kit.name
    width = max((len(label) for label, _ in kit.summary), default=0)
    for label, text in kit.summary:
        yield f"  {label:<{width}}  {text}"
    if with_details:
        yield from (f"  {line}" for line in list_fitting(kit))
    for line in list_findings(kit, with_details=with_details):
        kind = f"{line.kind:<7}  " if line.kind else ""
        yield f"  {kind}{line.text}{'' if kind else ' (--details shows all)'}"
    yield ""


def _shorten(findings: list[AuditFinding], *, with_details: bool) -> Iterator[FindingLine]:
    shown = findings if with_details else findings[:MAX_SHOWN]
    for entry in shown:
        separator = ", " if entry.finding.row is not None or entry.finding.column else ": "
        kind = "error" if entry.is_error else "warning"
        yield FindingLine(kind, f"{entry.file}{separator}{entry.finding}")
    if len(findings) > len(shown):
        yield FindingLine("", f"… and {len(findings) - len(shown)} more in {findings[0].file}")
