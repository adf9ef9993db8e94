"""How many personal links a study still needs, and the arithmetic behind the number."""

import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta

from django.utils import timezone

from surveys.models import AssignmentState, Study
from surveys.models.recruitment import REVOKED, UNUSED
from surveys.participation.assignments import list_places_left
from surveys.recruitment.links import count_links

ASSUMED_SHARE = 0.8  # of invited people, until the share of this study is known
SETTLED_AFTER = timedelta(days=7)  # an invitation that was not used by then counts as declined
FEWEST_SETTLED = 10  # links from which the study's own share is taken
LOWEST_SHARE = 0.1  # a lower one asks for more links than anybody would send


@dataclass(frozen=True)
class LinksNeeded:
    """The numbers from which the number of further links follows."""

    n_places: int
    n_unused: int
    n_settled: int
    n_finished: int

    @property
    def percent(self) -> int:
        """The expected share in per cent."""
        return round(100 * self.share)

    @property
    def is_own_share(self) -> bool:
        """Whether the share was observed on the study's links."""
        return self.n_settled >= FEWEST_SETTLED

    @property
    def share(self) -> float:
        """The expected share of links whose recipients finish."""
        if not self.is_own_share:
            return ASSUMED_SHARE
        return max(LOWEST_SHARE, self.n_finished / self.n_settled)

    @property
    def is_lowest_share(self) -> bool:
        """Whether fewer people finished than the lowest share that is taken."""
        return self.is_own_share and self.n_finished < LOWEST_SHARE * self.n_settled

    @property
    def n_wanted(self) -> int:
        """The number of unused links that fills the open places."""
        return math.ceil(100 * self.n_places / self.percent)

    @property
    def n_needed(self) -> int:
        """The number of links to create."""
        return max(0, self.n_wanted - self.n_unused)


def count_links_by_state(study: Study) -> Counter[tuple[str, bool]]:
    """Return the number of personal links by state, and whether they are settled."""
    return count_links(study, timezone.now() - SETTLED_AFTER)


def count_links_needed(study: Study, links: Mapping[tuple[str, bool], int]) -> LinksNeeded:
    """Return the number of links that a study still needs, from its open places and past links.

    `links` is what `count_links_by_state` returns. Assignments under way hold their places, which
    are not counted as open.
    """
    n_unused = n_settled = n_finished = 0
    for (where, settled), n in links.items():
        if where == REVOKED:
            continue
        n_unused += n if where == UNUSED else 0
        n_settled += n if settled else 0
        n_finished += n if settled and where == AssignmentState.SUBMITTED else 0
    return LinksNeeded(sum(list_places_left(study).values()), n_unused, n_settled, n_finished)
