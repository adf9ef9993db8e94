"""The app's settings, read from the environment."""

import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from django.core.exceptions import ImproperlyConfigured

from annotation_site.parsing import LOOPBACK, env, last_url, switch, whole_number

RATES = ("reward", "bonus", "crowded", "masters", "minimum")


def read_settings(site: Mapping[str, Any]) -> dict[str, Any]:
    """Return the app's settings; `site` has all others."""
    served_at = last_url(
        "MTURK_SERVED_AT", site["VAR_DIR"] / "mturk_address", "http://127.0.0.1:8800"
    )
    return {
        "MTURK_SIMULATOR_URL": loopback("MTURK_SIMULATOR_URL", served_at),
        # The two live targets are enabled only if all three conditions hold.
        "MTURK_IS_LIVE": switch("MTURK_ALLOW_LIVE") and site["IS_HTTPS"] and not site["DEBUG"],
        # Separate names, so that AWS keys for other services are never used.
        "MTURK_ACCESS_KEY_ID": env("MTURK_ACCESS_KEY_ID", default=""),
        "MTURK_SECRET_ACCESS_KEY": env("MTURK_SECRET_ACCESS_KEY", default=""),
        "MTURK_HIGHEST_REWARD_CENTS": whole_number("MTURK_HIGHEST_REWARD_CENTS", 2000),
        "MTURK_FEES": fee_rates(
            "MTURK_FEES", "2015-07-21 reward=0.20 bonus=0.20 crowded=0.20 masters=0.05 minimum=1"
        ),
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


def fee_rates(name: str, default: str) -> list[dict[str, str]]:
    """Parse sets of rates and the days from which they apply: `2015-07-21 reward=0.20 …; …`."""
    sets = []
    for text in (env(name, default="") or default).split(";"):
        since, *rates = text.split() or [""]
        named = [rate.partition("=") for rate in rates]
        is_valid = re.fullmatch(r"\d{4}-\d\d-\d\d", since) and all(
            rate in RATES and re.fullmatch(r"\d{1,3}(\.\d{1,4})?", share)
            for rate, _, share in named
        )
        if not is_valid:
            raise ImproperlyConfigured(
                f"{name} must look like {default!r}, with these rates: {', '.join(RATES)}; "
                f"got {text.strip()!r}."
            )
        sets.append({"since": since, **{rate: share for rate, _, share in named}})
    return sets
