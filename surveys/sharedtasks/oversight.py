"""What arrives in a shared task: submissions by team and day, refusals by reason, flags."""

import re
from collections import Counter
from datetime import date, datetime
from itertools import groupby
from typing import NamedTuple
from zoneinfo import ZoneInfo

from django.db.models import Count
from django.db.models.fields.json import KT

from surveys.sharedtasks.models import NO_ATTEMPTS, Phase, RefusedUpload, SharedTask, Submission

PLACE = re.compile(r"^[^:]*\.[A-Za-z0-9]{2,5}(?:, [^:]*)?: ")  # a file, its row and column
QUOTED = re.compile(r'"[^"]*"')
NUMBERS = re.compile(r"(?<![\w-])\d[\d,.:-]*")  # not those of names, such as UTF-8
OTHER_NAME = re.compile(r"^.* (is not the name of a result file); did you mean .*")


class TeamRow(NamedTuple):
    """A team's submissions in a phase: by day of the task's zone, in all, and as attempts."""

    team: str
    phase: Phase
    by_day: dict[date, int]
    n_sent: int
    n_attempts: int


def count_by_day(shared_task: SharedTask, at_most: int) -> list[TeamRow]:
    """Count each team's submissions in each phase, by day, for the busiest teams, in order.

    Of teams that are equally busy, those that registered first are counted, in the order of names.
    """
    zone, phases = ZoneInfo(shared_task.zone), shared_task.phases.in_bulk()
    sent = Submission.objects.filter(phase__in=list(phases)).order_by()
    numbers = sent.values_list("phase", "team").annotate(n=Count("pk"))  # read in an index alone
    busiest = sorted(numbers, key=lambda row: (-row[2], row[1], row[0]))[:at_most]
    busy = {(phase, team) for phase, team, _ in busiest}
    of_teams = sent.filter(team__in={team for _, team in busy})
    in_order = of_teams.order_by("team__name_key", "phase__opens_at", "phase", "sent_at")
    values = in_order.values_list("phase", "team", "team__name", "sent_at", "state")
    rows = [
        _count_days(name, phases[phase], [row[3:] for row in group], zone)
        for (phase, team, name), group in groupby(values, key=lambda row: row[:3])
        if (phase, team) in busy
    ]
    return sorted(rows, key=lambda row: -row.n_sent)


def _count_days(
    team: str, phase: Phase, sent: list[tuple[datetime, str]], zone: ZoneInfo
) -> TeamRow:
    """Return the row of a team, given the instants and states of its submissions in a phase."""
    days = Counter(at.astimezone(zone).date() for at, _ in sent)
    n_attempts = sum(state not in NO_ATTEMPTS for _, state in sent)
    return TeamRow(team, phase, dict(days), len(sent), n_attempts)


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
    text = OTHER_NAME.sub(r"… \1", PLACE.sub("", reason))
    return NUMBERS.sub("…", QUOTED.sub('"…"', text))
