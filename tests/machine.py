"""What this machine has: the repository, the published files beside it, and what may be missing."""

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
SHARED = ROOT.parent / "shared"


class PublishedPath(type(Path())):  # type: ignore[misc]
    """A path in a folder that may lack files: a test that names one of these is skipped."""

    def __truediv__(self, name):
        path = super().__truediv__(name)
        if not path.exists():
            pytest.skip(f"the published {name} is not here")
        return path


COSIMLEX = PublishedPath(SHARED / "cosimlex")


def lack(part: str) -> None:
    """End a test that needs what is not here: a skip, but a failure where all must be tested."""
    end = pytest.fail if os.environ.get("CI") == "true" else pytest.skip
    end(f"{part} is not on this machine")
