"""Marks of comparisons with ratings that no people gave: in file names, titles and warnings."""

from postprocess.naming import STAMP
from postprocess.two_collections.collection import Collection

MODEL_STAMP = "MODEL"

Sides = tuple[Collection, ...]


def list_stamps(sides: Sides) -> list[str]:
    """Return the stamps of a comparison: REHEARSAL for ratings by scripts, MODEL for a model's."""
    stamps = {
        STAMP: any(side.n_scripted for side in sides),
        MODEL_STAMP: any(side.source.is_model for side in sides),
    }
    return [name for name, is_given in stamps.items() if is_given]


def stamp_name(name: str, sides: Sides) -> str:
    """Return the name of a file, without suffix, with the stamps, such as contexts_MODEL."""
    return "_".join([name, *list_stamps(sides)])


def stamp_title(sides: Sides) -> str:
    """Return what precedes titles, such as "MODEL: ", or ""."""
    stamps = list_stamps(sides)
    return f"{', '.join(stamps)}: " if stamps else ""


def list_warnings(sides: Sides) -> list[str]:
    """Return sentences on collections not of people's ratings, and on gaps in their scores."""
    warnings = []
    for side in sides:
        if side.source.is_model:
            warnings.append(
                f"The ratings of {side.name} were given by the {side.source.describe()}, not by "
                "people. They are compared here, and are in no dataset, release or progress of "
                "ratings by people."
            )
        if side.n_scripted:
            warnings.append(
                f"{side.n_scripted:,} ratings of {side.name} are by scripts (a rehearsal), not by "
                "people. Do not use, cite or publish them."
            )
        if side.gaps:
            warnings.append(f"{side.name}: {side.gaps}")
    return warnings
