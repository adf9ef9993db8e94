"""Reader for Prolific's CSV export of submissions; problems name their row and column."""

import re
from datetime import datetime

from django.utils import timezone
from django.utils.dateparse import parse_datetime

from postprocess.formats.kinds import FileKind, Separator, split_records
from postprocess.formats.tabular import Severity, cut_lines
from surveys.crowd.errors import ReportRefused
from surveys.crowd.reconciliation import Report
from surveys.models import ProviderState
from surveys.recruitment.providers import IDENTIFIER

SUBMISSION, PERSON, STATUS = "submission_id", "participant_id", "status"
STARTED, COMPLETED, CODE = "started_at", "completed_at", "completion_code"
REVIEWED = "reviewed_at"  # in later exports only
COLUMNS = (SUBMISSION, PERSON, STATUS, STARTED, COMPLETED, CODE)
STATES = {
    "RESERVED": ProviderState.RESERVED,
    "ACTIVE": ProviderState.ACTIVE,
    "AWAITING REVIEW": ProviderState.SUBMITTED,
    "APPROVED": ProviderState.APPROVED,
    "REJECTED": ProviderState.REJECTED,
    "RETURNED": ProviderState.RETURNED,
    "TIMED OUT": ProviderState.TIMED_OUT,
    "SCREENED OUT": ProviderState.SCREENED_OUT,
}


def read_export(text: str) -> list[Report]:
    """Return the submissions of an export. Raises ReportRefused, naming rows and columns."""
    split = split_records(text.encode(), COLUMNS, otherwise=FileKind(Separator.COMMA))
    if errors := [f for f in split.findings if f.severity is not Severity.WARNING]:
        raise ReportRefused(f"The export cannot be read: {errors[0]}.")
    rows = [row or [] for row in split.rows] or [[]]
    header = [_normalize(name) for name in rows[0]]
    if missing := [name for name in COLUMNS if name not in header]:
        named = ", ".join(name.replace("_", " ").capitalize() for name in missing)
        raise ReportRefused(f"The export lacks these columns: {named}.")
    cells = [(number, row) for number, row in enumerate(rows[1:], 2) if any(row)]
    problems: list[str] = []
    reports = [_read_row(number, dict(zip(header, row)), problems) for number, row in cells]  # noqa: B905  (a short row lacks its last columns, which is reported)
    seen: dict[str, int] = {}
    for (number, _), report in zip(cells, reports, strict=True):
        if report.submission in seen:
            first = seen[report.submission]
            problems.append(f"row {number}, Submission id: same as in row {first}")
        seen.setdefault(report.submission, number)
    if problems:
        raise ReportRefused("\n".join(["Nothing was changed.", *cut_lines(problems)]))
    return reports


def _normalize(name: str) -> str:
    """Return a column name in snake case: `Participant id` becomes `participant_id`."""
    return re.sub(r"[\s_]+", "_", name.strip().lower())


def _read_row(number: int, row: dict[str, str], problems: list[str]) -> Report:
    def refuse(column: str, reason: str) -> None:
        problems.append(f"row {number}, {column.replace('_', ' ').capitalize()}: {reason}")

    def instant(column: str) -> datetime | None:
        if not (text := row.get(column, "").strip()):
            return None
        try:
            at = parse_datetime(text)
        except ValueError:
            at = None
        if at is None:
            refuse(column, "is not a date and time")
            return None
        return at if timezone.is_aware(at) else timezone.make_aware(at)

    for column in (SUBMISSION, PERSON):
        if not IDENTIFIER.fullmatch(row.get(column, "").strip()):
            refuse(column, "is not an identifier")
    status = re.sub(r"[\s_-]+", " ", row.get(STATUS, "").strip().upper())
    if status not in STATES:
        refuse(STATUS, f"is not one of {', '.join(STATES)}")
    state = STATES.get(status, ProviderState.RESERVED)
    return Report(
        submission=row.get(SUBMISSION, "").strip(),
        worker_id=row.get(PERSON, "").strip(),
        state=state,
        code=row.get(CODE, "").strip(),
        accepted_at=instant(STARTED),
        handed_in_at=instant(COMPLETED),
        decided_at=instant(REVIEWED),
    )
