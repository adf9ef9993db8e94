"""The requirements files as tests read them."""

import re
from functools import cache
from importlib import metadata

from packaging.requirements import Requirement

from tests.machine import ROOT

HASHED = re.compile(
    r"(?m)^(?P<pin>[^\s#-][^\\\n]*?)(?P<hashes>(?: \\\n    --hash=sha256:[0-9a-f]{64})*)$"
)


@cache
def read_pins(name: str) -> list[list[Requirement]]:
    """Return what each part of a requirements file pins: ours, and what those need in turn."""
    text = (ROOT / name).read_text(encoding="utf-8")
    return [
        [Requirement(match["pin"]) for match in HASHED.finditer(part)]
        for part in text.split("\n\n")
    ]


def read_unhashed(name: str) -> list[str]:
    """Return the pins of a requirements file that have no hash."""
    text = (ROOT / name).read_text(encoding="utf-8")
    return [match["pin"] for match in HASHED.finditer(text) if not match["hashes"]]


@cache
def is_installed(name: str) -> bool:
    """Return whether this environment has a package; some are only for other systems."""
    return bool(list(metadata.distributions(name=name)))
