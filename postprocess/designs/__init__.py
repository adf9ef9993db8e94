"""Designs of studies: the kind of item, the question, the scale, the numbers and the rounds."""

from pathlib import Path

FOLDER = Path(__file__).parent / "published"


def list_designs() -> list[str]:
    """Return the names of the published designs that come with the library."""
    return sorted(path.stem for path in FOLDER.glob("*.toml"))
