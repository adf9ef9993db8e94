"""Rate limits of what teams send: by team and by address of the client.

Each limit is a number at once, and that many an hour.
"""

import math
from datetime import timedelta

from surveys.access.sign_in_limits import Limit, take_check
from surveys.errors import TooManyRequests
from surveys.models.sharedtasks import Team

HOUR = timedelta(hours=1)
CHECKS, SUBMISSIONS, REGISTRATIONS = (Limit(n, HOUR / n) for n in (30, 10, 5))
ALL_REGISTRATIONS = Limit(60, HOUR / 60)


def limit_checks(team: Team, address: str) -> None:
    """Count a check of files. Raises TooManyRequests."""
    _take("checks", CHECKS, f"team {team.pk}", f"address {address}")


def limit_submissions(team: Team, address: str) -> None:
    """Count a submission. Raises TooManyRequests."""
    _take("submissions", SUBMISSIONS, f"team {team.pk}", f"address {address}")


def limit_registrations(address: str) -> None:
    """Count a registration of a team. Raises TooManyRequests."""
    budgets = {
        f"registrations, address {address}": REGISTRATIONS,
        "registrations, all": ALL_REGISTRATIONS,
    }
    if wait := take_check(budgets):
        _refuse("registrations", wait)


def _take(what: str, limit: Limit, *of: str) -> None:
    if wait := take_check({f"{what}, {one}": limit for one in of}):
        _refuse(what, wait)


def _refuse(what: str, wait: int) -> None:
    minutes = math.ceil(wait / 60)
    raise TooManyRequests(
        f"Too many {what} within an hour. Nothing was counted. Try again in {minutes} "
        f"minute{'s' if minutes > 1 else ''}.",
        retry_after=wait,
    )
