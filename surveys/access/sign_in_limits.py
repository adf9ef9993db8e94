"""How many passwords the site checks: for one address, one known browser and all other clients.

A check takes some 0.4 s of processor time, so it is paid for before it is made. A budget holds
`Limit.burst` checks and gets one back each `Limit.interval`; the generic cell rate algorithm keeps
it as one instant. The rows are shared by all processes and machines of a site. In each process one
password is checked at a time, so that the other threads are left to annotators.
"""

import math
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime, timedelta
from threading import Lock
from typing import NamedTuple

from django.db import transaction
from django.db.models import F
from django.utils import timezone

from surveys.models import SignInBudget


class Limit(NamedTuple):
    """The size of a budget, and the time in which one used check is restored."""

    burst: int
    interval: timedelta

    def wait(self, spent_until: datetime, now: datetime) -> timedelta:
        """Return how long until a check is left; zero or less where one is."""
        return spent_until - now - self.interval * (self.burst - 1)


Budgets = Mapping[str, Limit]
OF_AN_ADDRESS = Limit(8, timedelta(minutes=1))
OF_A_BROWSER = Limit(5, timedelta(minutes=3))
OF_ALL_OTHERS = Limit(12, timedelta(seconds=3))  # 20 a minute are 13 % of one processor core
ALL_OTHERS = "all unknown browsers"
KEPT = timedelta(hours=1)
BUSY_SECONDS = 2  # after which to try again where another password is being checked
PATIENCE = 10.0  # seconds for which a known browser waits instead
_checking = Lock()


def budgets_of(address: str, browser: str) -> Budgets:
    """Return the budgets that a password check is taken from.

    A known browser has one of its own, so that an attack from elsewhere leaves it checks.
    """
    if browser:
        return {f"browser {browser}": OF_A_BROWSER}
    return {f"address {address}": OF_AN_ADDRESS, ALL_OTHERS: OF_ALL_OTHERS}


@contextmanager
def checking_alone(*, patience: float = 0) -> Iterator[bool]:
    """Keep other threads of this process from checking passwords; give whether that succeeded."""
    is_alone = _checking.acquire(timeout=patience)
    try:
        yield is_alone
    finally:
        if is_alone:
            _checking.release()


def take_check(budgets: Budgets) -> int:
    """Take a check from every budget, or from none; return the seconds to wait, 0 if taken.

    A refusal costs one query and writes nothing.
    """
    if wait := _longest_wait(budgets, _read(budgets), timezone.now()):
        return wait
    wait = _take(budgets)
    if not wait:
        SignInBudget.objects.full_before(timezone.now() - KEPT).delete()
    return wait


def return_check(budgets: Budgets) -> None:
    """Give back a check whose password was right."""
    for key, limit in budgets.items():
        SignInBudget.objects.filter(key=key).update(spent_until=F("spent_until") - limit.interval)


def find_exhausted(budgets: Budgets) -> list[str]:
    """Return the keys of budgets without a check left."""
    now, spent = timezone.now(), _read(budgets)
    return [key for key in spent if budgets[key].wait(spent[key], now) > timedelta()]


@transaction.atomic
def _take(budgets: Budgets) -> int:
    now = timezone.now()
    SignInBudget.objects.bulk_create(
        (SignInBudget(key=key, spent_until=now) for key in budgets), ignore_conflicts=True
    )
    locked = SignInBudget.objects.select_for_update().filter(key__in=budgets).order_by("key")
    spent = dict(locked.values_list("key", "spent_until"))
    if wait := _longest_wait(budgets, spent, now):
        return wait
    for key, limit in budgets.items():
        spent_until = max(spent.get(key, now), now) + limit.interval
        SignInBudget.objects.filter(key=key).update(spent_until=spent_until)
    return 0


def _read(budgets: Budgets) -> dict[str, datetime]:
    rows = SignInBudget.objects.filter(key__in=budgets)
    return dict(rows.values_list("key", "spent_until"))


def _longest_wait(budgets: Budgets, spent: Mapping[str, datetime], now: datetime) -> int:
    waits = (budgets[key].wait(spent_until, now) for key, spent_until in spent.items())
    return max((0, *(math.ceil(wait.total_seconds()) for wait in waits)))
