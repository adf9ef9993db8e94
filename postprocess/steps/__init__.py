"""The steps of post-processing, in the order of a recipe."""

from pathlib import Path

FOLDER = Path(__file__).parent / "recipes"


def list_recipes() -> list[str]:
    """Return the names of the recipes that come with the library."""
    return sorted(path.stem for path in FOLDER.glob("*.toml"))
