"""The app's settings, read from the environment."""

import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from django.core.exceptions import ImproperlyConfigured

from annotation_site.parsing import LOOPBACK, env, last_url, refuse_removed, secret, whole_number


def read_settings(site: Mapping[str, Any]) -> dict[str, Any]:
    """Return the app's settings; `site` has all others."""
    refuse_removed(
        MTURK_ALLOW_LIVE="now MTURK_LIVE_KEYS",
        MTURK_ACCESS_KEY_ID="now in MTURK_LIVE_KEYS",
        MTURK_SECRET_ACCESS_KEY="now in MTURK_LIVE_KEYS",  # noqa: S106 # nosec B106
        MTURK_FEES="Amazon's last price list holds",
        MTURK_HIGHEST_REWARD_CENTS="a reward is at most 2000 cents",
    )
    served_at = last_url(
        "MTURK_SERVED_AT", site["VAR_DIR"] / "mturk_address", "http://127.0.0.1:8800"
    )
    # Not Amazon's name, so that AWS keys for other services are never used.
    keys = access_keys("MTURK_LIVE_KEYS")
    return {
        "MTURK_SIMULATOR_URL": loopback("MTURK_SIMULATOR_URL", served_at),
        "MTURK_LIVE_KEYS": keys,
        # The two live targets are enabled only if all three conditions hold.
        "MTURK_IS_LIVE": bool(keys) and site["IS_HTTPS"] and not site["DEBUG"],
        "LOWEST_WAGE_CENTS": whole_number("LOWEST_WAGE_CENTS", 800),  # per hour; pages warn below
    }


def loopback(name: str, default: str) -> str:
    """Return the URL of a server on this machine; empty for none."""
    url: str = env(name, default=default)
    parts = urlsplit(url)
    if url and (parts.scheme != "http" or parts.hostname not in LOOPBACK):
        raise ImproperlyConfigured(
            f"{name} must be on this machine, such as {default}, got {url!r}."
        )
    return url.rstrip("/")


def access_keys(name: str) -> list[str]:
    """Return an access key's id and secret, written with a colon between; empty for none."""
    keys = secret(name)
    if keys and not re.fullmatch("[^:]+:[^:]+", keys):
        raise ImproperlyConfigured(f"{name} must be an access key's id and secret, as ID:SECRET.")
    return keys.split(":") if keys else []
