"""The network address of a request's client, as far as it can be trusted.

All limits per address use `client_address`.
"""

from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address

from django.conf import settings
from django.http import HttpRequest

Address = IPv4Address | IPv6Address
UNKNOWN = "0.0.0.0"  # noqa: S104  # nosec B104 # (no peer address: nothing is bound to it)
BITS_OF_A_CUSTOMER = 48  # of IPv6: the most that a customer usually gets, 65,536 networks


def warn_of_proxies(request: HttpRequest) -> str:
    """Return what to tell an operator about a request from a proxy that is not trusted, or ""."""
    peer = parse_address(request.META.get("REMOTE_ADDR", ""))
    if "HTTP_X_FORWARDED_FOR" not in request.META or _is_trusted(peer):
        return ""
    return (
        f"A request from {peer or UNKNOWN} has X-Forwarded-For, which is ignored. If a proxy of "
        "yours sent it, all clients share the limits of its address: add it to TRUSTED_PROXIES."
    )


def client_address(request: HttpRequest) -> str:
    """Return the address of a request's client, an IPv6 address as the first of its /48.

    If the connection comes from one of `TRUSTED_PROXIES`, the client is the right-most address
    in `X-Forwarded-For` that is not a trusted proxy. Reading stops at an entry that is not an
    address: the proxy that sent it counts as the client.
    """
    client = parse_address(request.META.get("REMOTE_ADDR", ""))
    forwarded = request.META.get("HTTP_X_FORWARDED_FOR", "").split(",")
    while client and forwarded and _is_trusted(client):
        nearer = parse_address(forwarded.pop())
        if nearer is None:
            break
        client = nearer
    if isinstance(client, IPv6Address):
        network = IPv6Network((client, BITS_OF_A_CUSTOMER), strict=False)
        return str(network.network_address)
    return str(client) if client else UNKNOWN


def _is_trusted(address: Address | None) -> bool:
    return any(address in network for network in settings.TRUSTED_PROXIES if address)


def parse_address(text: str) -> Address | None:
    """Return the address in a text such as `203.0.113.9`, `203.0.113.9:4711` or `[2001:db8::1]:80`.

    An IPv4 address in IPv6 notation counts as IPv4. Returns None if the text has no address.
    """
    host = text.strip()
    if host.startswith("["):
        host = host[1:].partition("]")[0]
    elif host.count(":") == 1:
        host = host.partition(":")[0]
    try:
        address = ip_address(host.partition("%")[0])
    except ValueError:
        return None
    return getattr(address, "ipv4_mapped", None) or address
