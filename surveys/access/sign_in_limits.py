"""Rate limits of checks: per address, per known browser, and for all other clients.

A check takes about 0.4 s of processor time, so the limit applies before it. A budget holds
`Limit.burst` checks and regains one each `Limit.interval`; the generic cell rate algorithm stores
it as one timestamp. All processes and machines of a site share the rows. Each process checks one
password at a time, so that its other threads can serve annotators.
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
    """The size of a budget, and the time in which it regains one check."""

    burst: int
    interval: timedelta

    def wait(self, spent_until: datetime, now: datetime) -> timedelta:
        """Return the time until a check is available; zero or less if one is."""
        return spent_until - now - self.interval * (self.burst - 1)


Budgets = Mapping[str, Limit]
ADDRESS_LIMIT = Limit(8, timedelta(minutes=1))
BROWSER_LIMIT = Limit(5, timedelta(minutes=3))
CODE_LIMIT = Limit(5, timedelta(minutes=15))  # of second factors: 0.15 % in a day of guessing
RESET_LIMIT = Limit(5, timedelta(minutes=12))  # e-mails of an account, requests of an address
RESETS_LIMIT = Limit(20, timedelta(minutes=1))  # requests in all
SINGLE_SIGN_ON_LIMIT = Limit(30, timedelta(seconds=10))  # each stores a session
OTHERS_LIMIT = Limit(12, timedelta(seconds=3))  # 20 a minute take 13 % of one processor core
ALL_OTHERS = "all unknown browsers"
RETENTION = timedelta(hours=1)  # of full budgets
BUSY_SECONDS = 2  # after which to try again while another password is being checked
PATIENCE = 10.0  # seconds that a known browser waits instead
_checking = Lock()


def budgets_of(address: str, browser: str) -> Budgets:
    """Return the budgets that a password check uses.

    A known browser has a separate one, which an attack from elsewhere cannot use up.
    """
    if browser:
        return {f"browser {browser}": BROWSER_LIMIT}
    return {f"address {address}": ADDRESS_LIMIT, ALL_OTHERS: OTHERS_LIMIT}


def budgets_of_codes(user_id: int, browser: str) -> Budgets:
    """Return the budgets that a check of a second factor uses, after a correct password."""
    if browser:
        return {f"codes of browser {browser}": BROWSER_LIMIT}
    return {f"codes of account {user_id}": CODE_LIMIT}


def budgets_of_resets(address: str) -> Budgets:
    """Return the budgets that a request for an e-mail with a new password uses."""
    return {f"resets from {address}": RESET_LIMIT, "all resets": RESETS_LIMIT}


@contextmanager
def checking_alone(*, patience: float = 0) -> Iterator[bool]:
    """Hold this process's lock of password checks; yield whether it was acquired in time."""
    is_alone = _checking.acquire(timeout=patience)
    try:
        yield is_alone
    finally:
        if is_alone:
            _checking.release()


def take_check(budgets: Budgets) -> int:
    """Use a check of every budget, or of none; return the seconds to wait, 0 if used."""
    if wait := _longest_wait(budgets, _read(budgets), timezone.now()):
        return wait
    wait = _take(budgets)
    if not wait:
        SignInBudget.objects.filter(spent_until__lt=timezone.now() - RETENTION).delete()
    return wait


def return_check(budgets: Budgets) -> None:
    """Return a check to its budgets after a correct password."""
    for key, limit in budgets.items():
        SignInBudget.objects.filter(key=key).update(spent_until=F("spent_until") - limit.interval)


def find_exhausted(budgets: Budgets) -> list[str]:
    """Return the keys of exhausted budgets."""
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
