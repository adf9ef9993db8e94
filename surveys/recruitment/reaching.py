"""Check whether annotators can reach links that begin with the site's address."""

from urllib.parse import urlsplit

from django.conf import settings

from surveys.access.client_address import parse_address

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
    if address := parse_address(host):
        is_this_machine = address.is_loopback or address.is_unspecified
        is_local = not address.is_global
    else:
        is_this_machine = host == "localhost" or host.endswith(".localhost")
        is_local = "." not in host or host.endswith(LOCAL_ENDINGS)
    links = f"Links begin with {settings.SITE_URL}, an address"
    if is_this_machine:
        return f"{links} of this machine alone: nobody else can open them. {WHAT_TO_DO}"
    if is_local:
        return f"{links} of a local network: nobody outside it can open them. {WHAT_TO_DO}"
    return ""
