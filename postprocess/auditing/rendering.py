"""Rendering an audit as text and as tables."""

import math
from collections.abc import Iterator
from itertools import groupby
from typing import NamedTuple

from postprocess.auditing.findings import Audit, KitAudit, Noticed
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
    for _, noticed in groupby(kit.noticed, key=lambda notice: (notice.check, notice.file)):
        yield from _shorten(list(noticed), with_details=with_details)


def list_fitting(kit: KitAudit) -> Iterator[str]:
    """Yield the numbers of ratings that fit each context of a kit, a line for each context."""
    if kit.contexts is not None:
        for _, row, context, *_, fitting in kit.contexts.itertuples(index=False):
            yield f"row {row}, context {context}: {name_sizes(fitting) or 'no number of'} ratings"


def count_findings(audit: Audit) -> str:
    """Return the numbers of errors and warnings in words."""
    n_warnings = len(audit.noticed) - audit.n_errors
    return f"{write_count(audit.n_errors, 'error')}, {write_count(n_warnings, 'warning')}"


def render_tables(audit: Audit) -> dict[str, bytes]:
    """Return the findings, and the numbers of ratings that fit each context, as TSV files."""
    findings = [
        (
            "error" if notice.is_error else "warning",
            notice.check,
            notice.file,
            "" if notice.finding.row is None else str(notice.finding.row),
            notice.finding.column or "",
            " ".join(notice.finding.reason.split()),
        )
        for notice in audit.noticed
    ]
    tables = {
        FINDINGS_FILE: render_rows(FINDING_COLUMNS, findings),
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


def _shorten(noticed: list[Noticed], *, with_details: bool) -> Iterator[FindingLine]:
    shown = noticed if with_details else noticed[:MAX_SHOWN]
    for notice in shown:
        separator = ", " if notice.finding.row is not None or notice.finding.column else ": "
        kind = "error" if notice.is_error else "warning"
        yield FindingLine(kind, f"{notice.file}{separator}{notice.finding}")
    if len(noticed) > len(shown):
        yield FindingLine("", f"… and {len(noticed) - len(shown)} more in {notice.file}")
