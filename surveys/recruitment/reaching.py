"""The address of the site → whether annotators can reach the links that begin with it."""

from ipaddress import ip_address
from urllib.parse import urlsplit

from django.conf import settings

LOCAL_ENDINGS = (".local", ".lan", ".internal", ".localdomain", ".home.arpa")
WHAT_TO_DO = (
    "Set SITE_URL to the address at which everybody can reach the site, restart the site, and copy "
    "the links again."
)


def warn_unreachable() -> str:
    """Return a warning where links that are sent out would not open elsewhere, or nothing.

    An address of this machine alone, or of a local network, is read off the host of `SITE_URL`;
    nothing is asked of the network.
    """
    host = (urlsplit(settings.SITE_URL).hostname or "").rstrip(".")
    links = f"Links begin with {settings.SITE_URL}, an address"
    if _is_this_machine(host):
        return f"{links} of this machine alone: nobody else can open them. {WHAT_TO_DO}"
    if _is_local(host):
        return f"{links} of a local network: nobody outside it can open them. {WHAT_TO_DO}"
    return ""


def _is_this_machine(host: str) -> bool:
    try:
        address = ip_address(host)
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")
    return address.is_loopback or address.is_unspecified


def _is_local(host: str) -> bool:
    try:
        return not ip_address(host).is_global
    except ValueError:
        return "." not in host or host.endswith(LOCAL_ENDINGS)
