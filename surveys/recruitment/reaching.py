"""Check whether annotators can reach links that begin with the site's address."""

from urllib.parse import urlsplit

from django.conf import settings

from surveys.access.client_address import parse_address

LOCAL_ENDINGS = (".local", ".lan", ".internal", ".localdomain", ".home.arpa")
WHAT_TO_DO = (
    "Set SITE_URL to the address at which everybody can reach the site, restart the site, and copy "
    "the links again."
)


def is_only_here() -> bool:
    """Return whether links can be opened on this machine only."""
    host = (urlsplit(settings.SITE_URL).hostname or "").rstrip(".")
    if address := parse_address(host):
        return bool(address.is_loopback or address.is_unspecified)
    return host == "localhost" or host.endswith(".localhost")


def warn_unreachable() -> str:
    """Return a warning if links would not open on other machines, or an empty string.

    An address of this machine or of a local network is recognised from the host of `SITE_URL`,
    without network requests.
    """
    host = (urlsplit(settings.SITE_URL).hostname or "").rstrip(".")
    if address := parse_address(host):
        is_local = not address.is_global
    else:
        is_local = "." not in host or host.endswith(LOCAL_ENDINGS)
    links = f"Links begin with {settings.SITE_URL}, an address"
    if is_only_here():
        return f"{links} of this machine alone: nobody else can open them. {WHAT_TO_DO}"
    if is_local:
        return f"{links} of a local network: nobody outside it can open them. {WHAT_TO_DO}"
    return ""
