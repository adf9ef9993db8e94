"""Which hosts and network addresses webhooks may lead to.

Without `WEBHOOK_HOSTS` they are public ones by https. With it they are those that an operator
lists, by name, address or network, and no others.
"""

from collections.abc import Iterator
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from urllib.parse import urlsplit

from django.conf import settings

from surveys.errors import WebhookRefused

LONGEST_URL = 500
Address = IPv4Address | IPv6Address
# Public by the tables of `ipaddress`, but for protocols or on the way to embedded IPv4 addresses.
SPECIAL = (
    IPv4Network("192.0.0.0/24"), IPv4Network("192.88.99.0/24"), IPv6Network("2002::/16"),
)  # fmt: skip
UNICAST = IPv6Network("2000::/3")  # all of IPv6 that is given out to networks
LOCAL_ENDINGS = ("localhost", ".local", ".internal")


def refuse_url(url: str) -> None:
    """Raise WebhookRefused for an address to which this site sends nothing.

    Names are not resolved here: what they lead to is checked when a message is sent.
    """
    import httpx

    try:
        parts = urlsplit(url)
        host, _ = parts.hostname or "", parts.port
        httpx.URL(url)
    except (ValueError, httpx.InvalidURL) as error:
        raise WebhookRefused(f"This is not an address: {url[:100]!r}.") from error
    if len(url) > LONGEST_URL or not url.isprintable() or " " in url:
        raise WebhookRefused(f"An address has up to {LONGEST_URL} characters, without spaces.")
    if parts.scheme not in {"http", "https"} or not host or parts.username or parts.password:
        raise WebhookRefused(
            "An address is like https://lab.example.org/cosima, without a name or password."
        )
    if _is_listed(host):
        return
    if parts.scheme != "https":
        raise WebhookRefused("Give an address with https, so that nobody reads or changes it.")
    if not _may_be_reached(host):
        raise WebhookRefused(f"This site sends nothing to {host}; ask its operator.")


def may_connect(host: str, address: str) -> bool:
    """Return whether a message for a host may be sent to a network address it leads to."""
    if host.lower() in settings.WEBHOOK_HOSTS:
        return True
    number = _read_address(address)
    if number is None:
        return False
    if settings.WEBHOOK_HOSTS:
        return _is_in_listed_network(number)
    return is_public(number)


def is_public(address: Address) -> bool:
    """Return whether an address is one of the open internet's, and of a single machine."""
    if isinstance(address, IPv6Address) and address not in UNICAST:
        return False
    is_special = any(address in network for network in SPECIAL)
    return address.is_global and not (address.is_multicast or address.is_reserved or is_special)


def _is_listed(host: str) -> bool:
    number = _read_address(host)
    return host in settings.WEBHOOK_HOSTS or bool(number and _is_in_listed_network(number))


def _may_be_reached(host: str) -> bool:
    """Return whether a host that is not listed itself can lead to a permitted address."""
    if settings.WEBHOOK_HOSTS:
        return _read_address(host) is None and any(_listed_networks())
    number = _read_address(host)
    return is_public(number) if number else not host.rstrip(".").endswith(LOCAL_ENDINGS)


def _is_in_listed_network(address: Address) -> bool:
    return any(address in network for network in _listed_networks())


def _listed_networks() -> Iterator[IPv4Network | IPv6Network]:
    for listed in settings.WEBHOOK_HOSTS:
        try:
            yield ip_network(listed)
        except ValueError:
            continue  # a name


def _read_address(text: str) -> Address | None:
    try:
        return ip_address(text)
    except ValueError:
        return None
