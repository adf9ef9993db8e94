"""What arrives in a shared task: submissions by team and day, refusals by reason, flags."""

import re
from collections import Counter
from collections.abc import Iterable
from datetime import date
from typing import NamedTuple
from zoneinfo import ZoneInfo

from django.db.models import Count, Q
from django.db.models.fields.json import KT

from surveys.models.sharedtasks import (
    Phase,
    RefusedUpload,
    SharedTask,
    Submission,
    SubmissionState,
)

PLACE = re.compile(r"^[^:]*\.[A-Za-z0-9]{2,5}(?:, [^:]*)?: ")  # a file, its row and column
QUOTED = re.compile(r'"[^"]*"')
NUMBERS = re.compile(r"(?<![\w-])\d[\d,.:-]*")  # not those of names, such as UTF-8
OTHER_NAME = re.compile(r"^.* (is not the name of a result file); did you mean .*")


class TeamRow(NamedTuple):
    """The submissions of a team in a phase: by day of the task's zone, and those that are over."""

    team: str
    phase: Phase
    by_day: dict[date, int]
    n_sent: int
    n_attempts: int


def count_by_day(shared_task: SharedTask, at_most: int) -> list[TeamRow]:
    """Count the submissions of each team in each phase, by day: those of the busiest, in order."""
    zone = ZoneInfo(shared_task.zone)
    sent = Submission.objects.filter(phase__shared_task=shared_task).order_by()
    is_attempt = ~Q(state__in=(SubmissionState.CANCELLED, SubmissionState.FAILED))
    counted = sent.values_list("team", "phase", "team__name").annotate(
        n_sent=Count("pk"), n_attempts=Count("pk", filter=is_attempt)
    )
    busiest = list(counted.order_by("-n_sent", "team__name_key", "phase__opens_at")[:at_most])
    teams = {team for team, *_ in busiest}
    phases = Phase.objects.in_bulk({phase for _, phase, *_ in busiest})
    days: dict[tuple[int, int], Counter[date]] = {}
    instants = sent.filter(team__in=teams, phase__in=list(phases)).order_by("sent_at")
    for team, phase, at in instants.values_list("team", "phase", "sent_at"):
        days.setdefault((team, phase), Counter())[at.astimezone(zone).date()] += 1
    return [
        TeamRow(name, phases[phase], dict(days.get((team, phase), {})), n_sent, n_attempts)
        for team, phase, name, n_sent, n_attempts in busiest
    ]


def count_refusals(shared_task: SharedTask) -> list[tuple[str, int]]:
    """Count the refused uploads by their first reason, without rows, names and numbers."""
    refused = RefusedUpload.objects.filter(phase__shared_task=shared_task).order_by()
    first = refused.annotate(first=KT("reasons__0")).filter(first__isnull=False)
    counts: Counter[str] = Counter()
    for reason, n in first.values_list("first").annotate(n=Count("pk")).order_by("first"):
        counts[name_reason(reason)] += n
    return counts.most_common()


def name_reason(reason: str) -> str:
    """Return the kind of a reason: without the place in a file, and what differs.

    >>> name_reason('results_subtask1_sl.tsv, row 3 (line 4), change: decimal comma in "0,5"')
    'decimal comma in "…"'
    >>> name_reason("results_subtask1_sl.tsv: 2 rows, wanted 12; write one for each pair")
    '… rows, wanted …; write one for each pair'
    >>> name_reason("x.txt: x.txt is not the name of a result file; did you mean results_…")
    '… is not the name of a result file'
    """
    found = OTHER_NAME.sub(r"… \1", PLACE.sub("", reason))
    return NUMBERS.sub("…", QUOTED.sub('"…"', found))


def list_flagged(shared_task: SharedTask) -> Iterable[Submission]:
    """Return the submissions with flags, latest first."""
    found = Submission.objects.filter(phase__shared_task=shared_task).exclude(flags=[])
    return found.select_related("team", "phase")
