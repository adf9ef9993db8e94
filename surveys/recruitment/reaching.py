"""Check whether annotators can reach links that begin with the site's address."""

from ipaddress import ip_address
from urllib.parse import urlsplit

from django.conf import settings

LOCAL_ENDINGS = (".local", ".lan", ".internal", ".localdomain", ".home.arpa")
WHAT_TO_DO = (
    "Set SITE_URL to the address at which everybody can reach the site, restart the site, and copy "
    "the links again."
)


def warn_unreachable() -> str:
    """Return a warning if links would not open on other machines, or an empty string.

    An address of this machine or of a local network is recognised from the host of `SITE_URL`,
    without network requests.
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
