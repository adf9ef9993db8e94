"""Rate limits on entrances: starts within an hour, by network address and in all.

Without them a script could take every place of a study. Arrivals are counted in the transaction
that gives out the place, while the study is locked, so the count is exact under concurrency. Only a
keyed digest of an address is stored, for one hour.
"""

import logging
from datetime import datetime, timedelta
from math import ceil

from django.conf import settings
from django.db.models import Count, Q
from django.utils import timezone
from django.utils.translation import gettext as _

from surveys.access.redaction import digest_in_study
from surveys.errors import TooManyArrivals
from surveys.models import Arrival, Entrance, Study
from surveys.recruitment.providers import rules_of

logger = logging.getLogger(__name__)

WINDOW = timedelta(hours=1)
ADDRESS = "address"


def enforce_arrival_limits(entrance: Entrance, address: str) -> None:
    """Raise TooManyArrivals while an entrance has reached its limit for the hour.

    Exact in a transaction that has locked the study, advisory before.
    """
    n_from_address, n_in_all = _count_recent(entrance, _digest(entrance, address))
    if _is_reached(settings.ARRIVALS_PER_ADDRESS, n_from_address):
        raise TooManyArrivals(
            _(
                "Many people have started this study from your network within the last hour. "
                "Nothing was stored. Please open the link again later, in an hour at the latest, "
                "or from another network."
            ),
            retry_after=_seconds_left(entrance, settings.ARRIVALS_PER_ADDRESS, address),
        )
    if _is_reached(_find_limit_in_all(entrance), n_in_all):
        raise TooManyArrivals(
            _(
                "Very many people are starting this study just now. Nothing was stored. Please "
                "open the link again later, in an hour at the latest."
            ),
            retry_after=_seconds_left(entrance, settings.ARRIVALS_PER_LINK),
        )


def note_arrival(entrance: Entrance, address: str) -> None:
    """Count a start through an entrance, in the transaction that locked the study.

    The start that reaches a limit is logged: it may be a script, or a limit too low.
    """
    digest = _digest(entrance, address)
    forget_arrivals(entrance.study)
    Arrival.objects.create(entrance=entrance, address_digest=digest)
    n_from_address, n_in_all = _count_recent(entrance, digest)
    if _is_reached(settings.ARRIVALS_PER_ADDRESS, n_from_address):
        logger.warning(
            "Entrance %s admits no more from one address for now: ARRIVALS_PER_ADDRESS (%s) is "
            "reached. If all visitors seem to have one address, see TRUSTED_PROXIES.",
            entrance.pk, settings.ARRIVALS_PER_ADDRESS,
        )  # fmt: skip
    if _is_reached(_find_limit_in_all(entrance), n_in_all):
        logger.warning(
            "Entrance %s admits no more for now: ARRIVALS_PER_LINK (%s) is reached.",
            entrance.pk, settings.ARRIVALS_PER_LINK,
        )  # fmt: skip


def forget_arrivals(study: Study) -> None:
    """Delete address digests that limits no longer count, while the study is locked."""
    Arrival.objects.filter(entrance__study=study, arrived_at__lte=_start_of_window()).delete()


def _find_limit_in_all(entrance: Entrance) -> int:
    """Return the limit for all addresses together within the hour; 0 for none.

    A provider admits no more annotators than it has places.
    """
    limit: int = settings.ARRIVALS_PER_LINK
    return limit if rules_of(entrance.provider).is_anonymous else 0


def _is_reached(limit: int, n_arrived: int) -> bool:
    return 0 < limit <= n_arrived


def _count_recent(entrance: Entrance, digest: str) -> tuple[int, int]:
    """Return the number of starts within the hour: from an address, and in all."""
    recent = Arrival.objects.filter(entrance=entrance, arrived_at__gt=_start_of_window())
    counts = recent.aggregate(mine=Count("pk", filter=Q(address_digest=digest)), all=Count("pk"))
    return counts["mine"], counts["all"]


def _seconds_left(entrance: Entrance, limit: int, address: str | None = None) -> int:
    """Return the seconds until a limit permits one more start."""
    recent = Arrival.objects.filter(entrance=entrance)
    if address is not None:
        recent = recent.filter(address_digest=_digest(entrance, address))
    filling = recent.order_by("-arrived_at").values_list("arrived_at", flat=True)[limit - 1]
    return max(1, ceil((filling + WINDOW - timezone.now()).total_seconds()))


def _start_of_window() -> datetime:
    return timezone.now() - WINDOW


def _digest(entrance: Entrance, address: str) -> str:
    return digest_in_study(entrance.study_id, ADDRESS, address)
