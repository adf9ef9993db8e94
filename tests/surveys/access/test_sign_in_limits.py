"""Simultaneous password checks by several processes of a site."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from django.db import connection

from surveys.access.sign_in_limits import Limit, return_check, take_check
from surveys.models import SignInBudget

pytestmark = [
    pytest.mark.every_database,  # at once
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(connection.vendor != "postgresql", reason="locks of rows"),
]
BUDGETS = {"address 203.0.113.9": Limit(4, timedelta(days=1)), "all": Limit(6, timedelta(days=1))}


def take_with_own_connection(budgets):
    try:
        return take_check(budgets)
    finally:
        connection.close()


def test_take_check_never_exceeds_a_budget_when_simultaneous():
    others = {"address 198.51.100.7": BUDGETS["address 203.0.113.9"], "all": BUDGETS["all"]}

    with ThreadPoolExecutor(8) as clients:
        waits = list(clients.map(take_with_own_connection, [BUDGETS, others] * 20))

    assert waits.count(0) == 6  # the burst of the shared budget
    assert SignInBudget.objects.count() == 3


def test_return_check_is_exact_when_simultaneous():
    assert [take_check(BUDGETS) for _ in range(4)] == [0] * 4

    with ThreadPoolExecutor(4) as clients:
        list(clients.map(return_with_own_connection, [BUDGETS] * 4))

    assert [take_check(BUDGETS) for _ in range(4)] == [0] * 4
    assert take_check(BUDGETS) > 0


def return_with_own_connection(budgets):
    try:
        return_check(budgets)
    finally:
        connection.close()
