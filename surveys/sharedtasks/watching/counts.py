"""What arrives in a shared task: submissions by team and day, refusals by reason, flags."""

import re
from collections import Counter
from collections.abc import Iterable
from datetime import date
from typing import NamedTuple
from zoneinfo import ZoneInfo

from surveys.models.sharedtasks import (
    Phase,
    RefusedUpload,
    SharedTask,
    Submission,
    SubmissionState,
    Team,
)

PLACE = re.compile(r"^[^:]*\.[A-Za-z0-9]{2,5}(?:, [^:]*)?: ")  # a file, its row and column
QUOTED = re.compile(r'"[^"]*"')
NUMBERS = re.compile(r"\d[\d,.:-]*")


class TeamRow(NamedTuple):
    """The submissions of a team in a phase: by day of the task's zone, and those that are over."""

    team: Team
    phase: Phase
    by_day: dict[date, int]
    n_sent: int
    n_attempts: int


def count_by_day(shared_task: SharedTask) -> list[TeamRow]:
    """Count the submissions of each team in each phase, by day; the busiest teams come first."""
    zone = ZoneInfo(shared_task.zone)
    sent = Submission.objects.filter(phase__shared_task=shared_task).order_by("sent_at")
    days: dict[tuple[int, int], Counter[date]] = {}
    attempts: Counter[tuple[int, int]] = Counter()
    no_attempts = (SubmissionState.CANCELLED, SubmissionState.FAILED)
    for team, phase, at, state in sent.values_list("team", "phase", "sent_at", "state"):
        days.setdefault((team, phase), Counter())[at.astimezone(zone).date()] += 1
        attempts[team, phase] += state not in no_attempts
    teams = Team.objects.in_bulk({team for team, _ in days})
    phases = Phase.objects.in_bulk({phase for _, phase in days})
    rows = [
        TeamRow(teams[team], phases[phase], dict(found), found.total(), attempts[team, phase])
        for (team, phase), found in days.items()
    ]
    return sorted(rows, key=lambda row: (-row.n_sent, row.team.name_key, row.phase.opens_at))


def count_refusals(shared_task: SharedTask) -> list[tuple[str, int]]:
    """Count the refused uploads by their first reason, without rows, names and numbers."""
    refused = RefusedUpload.objects.filter(phase__shared_task=shared_task)
    reasons = (found[0] for found in refused.values_list("reasons", flat=True) if found)
    return Counter(map(name_reason, reasons)).most_common()


def name_reason(reason: str) -> str:
    """Return the kind of a reason: without the place in a file, and what differs.

    >>> name_reason('results_subtask1_sl.tsv, row 3 (line 4), change: decimal comma in "0,5"')
    'decimal comma in "…"'
    >>> name_reason("results_subtask1_sl.tsv: 2 rows, wanted 12; write one for each pair")
    '… rows, wanted …; write one for each pair'
    """
    return NUMBERS.sub("…", QUOTED.sub('"…"', PLACE.sub("", reason)))


def list_flagged(shared_task: SharedTask) -> Iterable[Submission]:
    """Return the submissions with flags, latest first."""
    found = Submission.objects.filter(phase__shared_task=shared_task).exclude(flags=[])
    return found.select_related("team", "phase")
