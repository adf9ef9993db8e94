"""What rows of a comparison are called in tables and plots."""

from postprocess.reporting.phrases import shorten
from postprocess.two_collections.comparing import CollectionComparison
from postprocess.two_collections.crossing import PAIRWISE, WITH_MEANS

TRAITS = {"pos": "part of speech", "block": "block"}


def name_agreement(comparison: CollectionComparison) -> list[str]:
    """Return what is correlated in each row of the table of agreement, in words."""
    first, second = (shorten(side.name, 16) for side in comparison.sides)
    names = {
        (PAIRWISE, "first"): f"two of {first}",
        (PAIRWISE, "second"): f"two of {second}",
        (PAIRWISE, "between"): "one of each",
        (WITH_MEANS, "first"): f"{first}: one, the others",
        (WITH_MEANS, "second"): f"{second}: one, the others",
        (WITH_MEANS, "second with first"): f"one of {second}, mean of {first}",
        (WITH_MEANS, "first with second"): f"one of {first}, mean of {second}",
    }
    table = comparison.tables["agreement"]
    return [names[key] for key in zip(table["measure"], table["among"], strict=True)]
