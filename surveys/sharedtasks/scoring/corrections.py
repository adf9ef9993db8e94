"""Corrections: scorings that replaced others, and whether the committed gold is in use."""

from datetime import datetime
from itertools import pairwise
from typing import NamedTuple

from surveys.sharedtasks.models import Scoring, ScoringState, SharedTask

USED = (ScoringState.CURRENT, ScoringState.REPLACED)


class Correction(NamedTuple):
    """A scoring that replaced another scoring, and the languages whose gold it corrected.

    Without languages it was made for a new version of the scorer.
    """

    scoring: Scoring
    languages: tuple[str, ...]

    @property
    def by(self) -> str:
        """The name of the account that asked for it, or an empty text."""
        return self.scoring.created_by.get_username() if self.scoring.created_by else ""


def find_corrections(shared_task: SharedTask) -> list[Correction]:
    """Return the scorings that replaced the one before, earliest first."""
    used = Scoring.objects.filter(shared_task=shared_task, state__in=USED)
    scorings = used.select_related("created_by").order_by("number")
    return [Correction(after, _compare(before, after)) for before, after in pairwise(scorings)]


def find_breaches(shared_task: SharedTask) -> list[Correction]:
    """Return the corrections that made the gold differ from the committed one."""
    return choose_breaches(shared_task, find_corrections(shared_task))


def choose_breaches(shared_task: SharedTask, corrections: list[Correction]) -> list[Correction]:
    """Return the corrections that broke the commitment; see `find_breaches`.

    There are none if the files that were committed are in use again.
    """
    of_gold = [correction for correction in corrections if correction.languages]
    if not of_gold:
        return []
    committed = dict(shared_task.parts.values_list("name", "gold_sha256"))
    return of_gold if of_gold[-1].scoring.gold_sha256 != committed else []


def write_correction(correction: Correction) -> str:
    """Return the sentence about a correction that boards show."""
    scoring = correction.scoring
    since: datetime = scoring.current_since or scoring.created_at
    languages = ", ".join(correction.languages)
    what = f"with corrected gold ({languages})" if languages else "with a new scorer"
    return f"All results were scored again on {since:%Y-%m-%d}, {what}: {scoring.reason}"


def _compare(before: Scoring, after: Scoring) -> tuple[str, ...]:
    """Return the languages whose gold differs between two scorings."""
    digests = after.gold_sha256.items()
    return tuple(sorted(tag for tag, sha256 in digests if before.gold_sha256.get(tag) != sha256))
