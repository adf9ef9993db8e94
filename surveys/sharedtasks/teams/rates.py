"""Rate limits of teams: by team, and by address only without an account.

Each limit is a number at once, and that many an hour.
"""

import math
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import timedelta

from django.contrib.auth.models import AnonymousUser, User

from surveys.access.sign_in_limits import Limit, return_check, take_check
from surveys.errors import SurveyError
from surveys.sharedtasks.errors import TooManyRequests
from surveys.sharedtasks.models import Team
from surveys.sharedtasks.teams.attempts import is_limited

HOUR = timedelta(hours=1)
CHECKS, SUBMISSIONS, REGISTRATIONS, UNKNOWN, ALL_UNKNOWN = (
    Limit(n, HOUR / n) for n in (30, 10, 5, 20, 600)
)


def limit_checks(team: Team) -> None:
    """Count a check of files. Raises TooManyRequests."""
    if is_limited(team):
        _take("checks", {f"checks, team {team.pk}": CHECKS})


@contextmanager
def limiting_submissions(team: Team) -> Iterator[None]:
    """Count the submission made within the context, unless it is refused.

    Raises TooManyRequests.
    """
    budgets = {f"submissions, team {team.pk}": SUBMISSIONS} if is_limited(team) else {}
    _take("submissions", budgets)
    try:
        yield
    except SurveyError:
        return_check(budgets)
        raise


def limit_registrations(user: User | AnonymousUser, address: str) -> None:
    """Count a registration of a team: by account, or by address for a new account.

    Each costs the hash of a password, so that new accounts are also limited in all: by a number
    that no address comes near. Raises TooManyRequests.
    """
    budgets = {f"registrations, account {user.pk}": REGISTRATIONS}
    if not user.is_authenticated:
        budgets = {
            f"registrations, address {address}": UNKNOWN,
            "registrations, all new accounts": ALL_UNKNOWN,
        }
    _take("registrations", budgets)


def _take(what: str, budgets: Mapping[str, Limit]) -> None:
    if wait := take_check(budgets):
        minutes = math.ceil(wait / 60)
        raise TooManyRequests(
            f"Too many {what} within an hour. Nothing was counted. Try again in {minutes} "
            f"minute{'s' if minutes > 1 else ''}.",
            retry_after=wait,
        )
