"""The client address of a request, behind proxies and with forged headers."""

from ipaddress import ip_network

import pytest
from django.http import HttpResponse
from django.test import RequestFactory

from surveys.access.client_address import UNKNOWN, client_address
from surveys.web.rendering.probes import ProbeMiddleware


@pytest.fixture
def proxies(settings):
    settings.TRUSTED_PROXIES = [ip_network("127.0.0.1"), ip_network("10.0.0.0/8")]


def address(peer: str, forwarded: str | None = None) -> str:
    headers = {} if forwarded is None else {"X-Forwarded-For": forwarded}
    return client_address(RequestFactory().get("/", headers=headers, REMOTE_ADDR=peer))


def test_client_address_ignores_forwarded_without_trusted_proxies():
    assert address("127.0.0.1", "203.0.113.9") == "127.0.0.1"
    assert address("198.51.100.1", "203.0.113.9") == "198.51.100.1"


@pytest.mark.parametrize(
    ("forwarded", "client"),
    [
        ("203.0.113.9", "203.0.113.9"),
        ("1.2.3.4, 203.0.113.9", "203.0.113.9"),  # forged entries are to the left
        ("127.0.0.1,203.0.113.9", "203.0.113.9"),
        ("203.0.113.9, 10.1.2.3", "203.0.113.9"),  # two proxies, both trusted
        ("1.2.3.4, 203.0.113.9, 10.1.2.3", "203.0.113.9"),
        ("10.1.2.3", "10.1.2.3"),
        ("203.0.113.9:4711", "203.0.113.9"),
        ("[2001:db8:1:2:3:4:5:6]:80", "2001:db8:1::"),
        ("1.2.3.4, nonsense", "127.0.0.1"),
        ("", "127.0.0.1"),
        (None, "127.0.0.1"),
    ],
)
def test_client_address_is_the_right_most_untrusted_one_behind_a_proxy(proxies, forwarded, client):
    assert address("127.0.0.1", forwarded) == client


def test_client_address_ignores_forwarded_from_an_untrusted_peer(proxies):
    assert address("203.0.113.9", "1.2.3.4") == "203.0.113.9"
    assert address("203.0.113.9", "1.2.3.4, 127.0.0.1") == "203.0.113.9"


@pytest.mark.parametrize(
    ("peer", "forwarded", "is_told"),
    [
        ("10.1.2.3", "203.0.113.9", False),
        ("192.0.2.1", None, False),
        ("192.0.2.1", "203.0.113.9", True),
    ],
)
def test_one_line_tells_of_a_proxy_that_is_not_trusted(proxies, caplog, peer, forwarded, is_told):
    middleware = ProbeMiddleware(lambda request: HttpResponse())
    headers = {"X-Forwarded-For": forwarded} if forwarded else {}
    for _ in range(3):
        middleware(RequestFactory().get("/", headers=headers, REMOTE_ADDR=peer))

    told = [line for line in caplog.messages if "add it to TRUSTED_PROXIES" in line]
    assert len(told) == is_told
    assert caplog.text.count("192.0.2.1") == is_told


@pytest.mark.parametrize(
    ("peer", "client"),
    [
        ("2001:db8:1:2::1", "2001:db8:1::"),
        ("2001:db8:1:ffff:ffff:ffff:ffff:ffff", "2001:db8:1::"),
        ("2001:db8:2:3::1", "2001:db8:2::"),
        ("::ffff:203.0.113.9", "203.0.113.9"),
        ("fe80::1%eth0", "fe80::"),
        ("", UNKNOWN),
        ("unix:/run/site", UNKNOWN),
    ],
)
def test_client_address_groups_ipv6_by_customer(peer, client):
    assert address(peer) == client
