"""Rate limits on entrances, by address and by link."""

import logging
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from threading import Barrier

import pytest
from django.db import connection
from django.utils import timezone

from surveys.errors import NoPlaceLeft, SurveyError, TooManyArrivals
from surveys.models import Annotator, Arrival, Assignment, Entrance, Invitation, Place
from surveys.models.participation import make_token
from surveys.participation.arrivals import return_visitor, start_through
from surveys.privacy.retention import drop_due
from surveys.recruitment.links import open_entrance
from tests.factories.newcomers import claims_of
from tests.factories.studies import make_study

pytestmark = [pytest.mark.django_db, pytest.mark.every_database]  # counted by time, and at once
HOME, ELSEWHERE = "203.0.113.9", "198.51.100.7"


@pytest.fixture(autouse=True)
def limits(settings) -> None:
    settings.ARRIVALS_PER_ADDRESS, settings.ARRIVALS_PER_LINK = 2, 5


@pytest.fixture
def wide_link() -> Entrance:
    return open_entrance(make_study(2, ratings_per_context=20), "link")


def come(entrance: Entrance, address: str = HOME, ticket: str = "") -> Assignment:
    return start_through(entrance, ticket or make_token(), address=address)


def let_pass(**span: float) -> None:
    for arrival in Arrival.objects.all():
        arrival.arrived_at -= timedelta(**span)
        arrival.save()


def test_the_limit_of_an_address_leaves_other_addresses_alone(wide_link):
    come(wide_link), come(wide_link)

    with pytest.raises(TooManyArrivals, match="from your network") as refused:
        come(wide_link)

    assert 3500 < refused.value.retry_after <= 3600
    assert (Annotator.objects.count(), Arrival.objects.count()) == (2, 2)
    assert come(wide_link, ELSEWHERE).state == "offered"


def test_the_limit_of_a_link_counts_all_addresses(wide_link):
    for n in range(5):
        come(wide_link, f"198.51.100.{n}")

    with pytest.raises(TooManyArrivals, match="Very many people") as refused:
        come(wide_link, HOME)

    assert refused.value.retry_after <= 3600
    assert (Annotator.objects.count(), Invitation.objects.count()) == (5, 5)


def test_a_limit_permits_another_start_after_an_hour(wide_link):
    come(wide_link)
    let_pass(minutes=50)
    come(wide_link)
    with pytest.raises(TooManyArrivals) as refused:
        come(wide_link)
    assert 590 < refused.value.retry_after <= 600

    let_pass(minutes=10)

    come(wide_link)
    with pytest.raises(TooManyArrivals):
        come(wide_link)


def test_limits_never_stop_a_returning_annotator(wide_link):
    ticket = make_token()
    first = come(wide_link, ticket=ticket)
    come(wide_link)

    assert come(wide_link, ticket=ticket) == first
    assert Arrival.objects.count() == 2


def test_limits_apply_to_prolific_but_not_to_returning_annotators():
    prolific = open_entrance(make_study(2, ratings_per_context=20), "prolific")
    first, _second = (
        start_through(prolific, make_token(), claims_of(f"w{n}"), address=HOME) for n in range(2)
    )

    with pytest.raises(TooManyArrivals):
        start_through(prolific, make_token(), claims_of("w9"), address=HOME)

    for n in range(10, 18):  # no limit for all addresses together
        start_through(prolific, make_token(), claims_of(f"w{n}"), address=f"198.51.100.{n}")
    assert return_visitor(prolific, claims_of("w0")) == first
    assert start_through(prolific, make_token(), claims_of("w0"), address=HOME) == first


def test_limits_of_zero_are_no_limits(wide_link, settings):
    settings.ARRIVALS_PER_ADDRESS = settings.ARRIVALS_PER_LINK = 0

    for _ in range(8):
        come(wide_link)

    assert Annotator.objects.count() == 8


def test_limits_are_counted_per_link(wide_link):
    other = open_entrance(make_study(2, slug="other", ratings_per_context=20), "link")
    for place in (wide_link, wide_link, other, other):
        come(place)

    assert Annotator.objects.count() == 4


def test_arrivals_without_a_place_are_not_counted(settings):
    entrance = open_entrance(make_study(2, ratings_per_context=1), "link")
    come(entrance), come(entrance)
    settings.ARRIVALS_PER_ADDRESS = 9

    with pytest.raises(NoPlaceLeft):
        come(entrance)

    assert Arrival.objects.count() == 2


def test_addresses_are_stored_for_an_hour_as_digests_that_differ_by_study(wide_link):
    other = open_entrance(make_study(2, slug="other"), "link")
    come(wide_link), come(other)

    digests = list(Arrival.objects.order_by("pk").values_list("address_digest", flat=True))
    assert len(set(digests)) == 2
    assert not any(HOME in digest for digest in digests)
    let_pass(minutes=61)
    come(wide_link, ELSEWHERE)
    assert list(Arrival.objects.values_list("entrance", flat=True).order_by("pk")) == [
        other.pk, wide_link.pk,
    ]  # fmt: skip

    drop_due(other.study)

    assert Arrival.objects.get().entrance == wide_link


def test_reaching_a_limit_is_logged_without_the_address(wide_link, caplog):
    with caplog.at_level(logging.WARNING, logger="surveys"):
        come(wide_link)
        assert not caplog.messages
        come(wide_link)

    assert [message.split(":")[0] for message in caplog.messages] == [
        f"Entrance {wide_link.pk} admits no more from one address for now"
    ]
    assert HOME not in caplog.text


# At once


def crowd(n: int, action: Callable[[int], object]) -> list[str]:
    """Run calls at the same time, each over its own connection, and return the outcomes."""
    together = Barrier(n)

    def act(number: int) -> str:
        try:
            together.wait(60)
            action(number)
        except SurveyError as error:
            return type(error).__name__
        finally:
            connection.close()
        return "started"

    with ThreadPoolExecutor(n) as people:
        return list(people.map(act, range(n)))


@pytest.mark.django_db(transaction=True)
@pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite: tests/end_to_end")
@pytest.mark.parametrize(
    ("per_address", "per_link", "expected"),
    [(5, 0, {"started": 5}), (0, 7, {"started": 7}), (0, 0, {"started": 12})],
)
def test_limits_and_quotas_are_exact_under_concurrency(settings, per_address, per_link, expected):
    """Twenty people on twelve places."""
    settings.ARRIVALS_PER_ADDRESS, settings.ARRIVALS_PER_LINK = per_address, per_link
    entrance = open_entrance(make_study(2, ratings_per_context=6), "link")

    fared = crowd(20, lambda _: come(Entrance.objects.get(pk=entrance.pk)))

    n_started = expected["started"]
    assert fared.count("started") == n_started
    assert fared.count("NoPlaceLeft" if not per_address + per_link else "TooManyArrivals") == (
        20 - n_started
    )
    assert (Annotator.objects.count(), Arrival.objects.count()) == (n_started, n_started)
    assert Place.objects.filter(assignment__isnull=False).count() == n_started


def test_an_arrival_exactly_an_hour_ago_is_not_counted(wide_link):
    come(wide_link), come(wide_link)
    Arrival.objects.update(arrived_at=timezone.now() - timedelta(hours=1))

    come(wide_link)

    assert Arrival.objects.count() == 1
