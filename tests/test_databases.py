"""Which tests run on every database: those that reach one, unless they say that it is all one."""

import pytest


def is_for_every(request: pytest.FixtureRequest) -> bool:
    return request.node.get_closest_marker("every_database") is not None


def test_what_reaches_no_database_runs_once(request):
    assert not is_for_every(request)


@pytest.mark.django_db
def test_what_is_marked_for_the_database_runs_on_every_one(request):
    assert is_for_every(request)


def test_what_is_given_the_database_by_a_fixture_runs_on_every_one(request, assignment):
    assert is_for_every(request)


@pytest.mark.either_database
def test_what_says_that_the_database_is_all_one_runs_once(request, assignment):
    assert not is_for_every(request)
