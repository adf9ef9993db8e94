"""How many personal links a study still needs, and the arithmetic behind the number."""

import math
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.db.models import Count, ExpressionWrapper, Q
from django.db.models.fields import BooleanField
from django.utils import timezone

from surveys.models import AssignmentState, Invitation, Study
from surveys.models.recruitment import REVOKED, UNUSED
from surveys.participation.assignments import list_places_left

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
        """Whether the share is that of the study's own links."""
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


def count_links_needed(study: Study) -> LinksNeeded:
    """Return the number of links that a study still needs, from its open places and past links.

    Assignments under way hold their places, which are not counted as open.
    """
    is_settled = Q(created_at__lte=timezone.now() - SETTLED_AFTER)
    links: Any = Invitation.objects.personal(study).with_whereabouts().order_by()
    links = links.annotate(is_settled=ExpressionWrapper(is_settled, output_field=BooleanField()))
    n_unused = n_settled = n_finished = 0
    for where, settled, n in links.values_list("whereabouts", "is_settled").annotate(n=Count("pk")):
        if where == REVOKED:
            continue
        n_unused += n if where == UNUSED else 0
        n_settled += n if settled else 0
        n_finished += n if settled and where == AssignmentState.SUBMITTED else 0
    return LinksNeeded(sum(list_places_left(study).values()), n_unused, n_settled, n_finished)
