"""The app's settings, read from the environment."""

from collections.abc import Mapping
from typing import Any

from annotation_site.parsing import folder


def read_settings(site: Mapping[str, Any]) -> dict[str, Any]:
    """Return the app's settings; `site` has all others."""
    return {"CORPORA_DIR": folder("CORPORA_DIR")}  # in which the console searches for texts
