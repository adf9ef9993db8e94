"""Hosts and network addresses to which webhook messages may be sent.

Without `WEBHOOK_HOSTS` these are public addresses, by https. With it they are only those that an
operator lists, by name, address or network.
"""

from collections.abc import Iterator
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from socket import inet_aton
from urllib.parse import urlsplit

from django.conf import settings

from surveys.errors import WebhookRefused

MAX_URL_LENGTH = 500
Address = IPv4Address | IPv6Address
# Public according to `ipaddress`, but reserved for protocols, or with embedded IPv4 addresses.
SPECIAL = (
    IPv4Network("192.0.0.0/24"), IPv4Network("192.88.99.0/24"), IPv6Network("2002::/16"),
)  # fmt: skip
UNICAST = IPv6Network("2000::/3")  # all IPv6 addresses that are assigned to networks
LOCAL_ENDINGS = ("localhost", ".local", ".internal")


def refuse_url(url: str) -> None:
    """Raise WebhookRefused for a URL to which this site sends nothing.

    Names are not resolved here: their addresses are checked when a message is sent.
    """
    import httpx

    try:
        parts = urlsplit(url)
        host, _ = parts.hostname or "", parts.port
        httpx.URL(url)
    except (ValueError, httpx.InvalidURL) as error:
        raise WebhookRefused(f"This is not a URL: {url[:100]!r}.") from error
    if len(url) > MAX_URL_LENGTH or not url.isprintable() or " " in url:
        raise WebhookRefused(f"A URL has at most {MAX_URL_LENGTH} characters, and no spaces.")
    if parts.scheme not in {"http", "https"} or not host or parts.username or parts.password:
        raise WebhookRefused(
            "Give a URL such as https://lab.example.org/cosima, without a name or password."
        )
    if _is_listed(host):
        return
    if parts.scheme != "https":
        raise WebhookRefused(
            "Give a URL with https, so that messages cannot be read or changed in transit."
        )
    if not _may_be_reached(host):
        raise WebhookRefused(f"This site sends nothing to {host}; ask its operator.")


def may_connect(host: str, address: str) -> bool:
    """Return whether a message for a host may be sent to one of its network addresses."""
    if host.lower() in settings.WEBHOOK_HOSTS:
        return True
    number = _read_address(address)
    if number is None:
        return False
    if settings.WEBHOOK_HOSTS:
        return _is_in_listed_network(number)
    return is_public(number)


def is_public(address: Address) -> bool:
    """Return whether an address is public and unicast."""
    if isinstance(address, IPv6Address) and address not in UNICAST:
        return False
    is_special = any(address in network for network in SPECIAL)
    return address.is_global and not (address.is_multicast or address.is_reserved or is_special)


def _is_listed(host: str) -> bool:
    number = _read_address(host)
    return host in settings.WEBHOOK_HOSTS or bool(number and _is_in_listed_network(number))


def _may_be_reached(host: str) -> bool:
    """Return whether a host that is not listed can have a permitted address."""
    number = _read_address(host)
    if settings.WEBHOOK_HOSTS:
        return not number and not _is_short_address(host) and any(_listed_networks())
    if number:
        return is_public(number)
    return not (_is_short_address(host) or host.rstrip(".").endswith(LOCAL_ENDINGS))


def _is_short_address(host: str) -> bool:
    """Return whether the system reads a host as an IPv4 address, such as 127.1 or 0x7f000001."""
    try:
        inet_aton(host.rstrip("."))
    except OSError:
        return False
    return True


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
