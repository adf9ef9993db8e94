"""What `manage.py check --deploy` and the start of a server say of its settings and files."""

import logging
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core import checks

log = logging.getLogger(__name__)


@checks.register(deploy=True)
def check_server(**chosen: Any) -> list[checks.CheckMessage]:
    """Find settings and files whose lack clients would notice."""
    found: list[checks.CheckMessage] = []
    if settings.IS_HTTPS and not settings.TRUSTED_PROXIES:
        found.append(
            checks.Warning(
                "SITE_URL is https, but TRUSTED_PROXIES is empty: all clients share the limits of "
                "the proxy's address.",
                hint="Set TRUSTED_PROXIES to the proxy's address, such as 127.0.0.1,::1.",
                id="surveys.W001",
            )
        )
    if not settings.DEBUG and not (Path(settings.STATIC_ROOT) / "staticfiles.json").exists():
        found.append(
            checks.Error(
                f"The static files are not in {settings.STATIC_ROOT}: no page can be shown.",
                hint="Run manage.py collectstatic on each server, as scripts/serve does.",
                id="surveys.E001",
            )
        )
    return found


def check_at_start() -> None:
    """Log what is found at the start of a server. Raises SystemExit for errors."""
    for found in check_server():
        if found.is_serious():
            raise SystemExit(f"{found.msg} {found.hint}")
        log.warning("%s %s", found.msg, found.hint)
