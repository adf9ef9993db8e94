"""Command-line options of several commands."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from postprocess.errors import UserError as UserError
from postprocess.naming import check_name
from postprocess.steps import list_recipes
from postprocess.table.scale import Scale

if TYPE_CHECKING:
    import pandas as pd

    from postprocess.designs.design import Design
    from postprocess.formats.parsed import ParsedRows
    from postprocess.steps.recipe import Recipe

RECIPE = "cosimlex"


class Designed(NamedTuple):
    """The design, None for pairs with two contexts; what is read by it; and decisions on ties."""

    design: "Design | None"
    recipe: "Recipe"
    stimuli: "ParsedRows[Any]"
    decisions: "pd.DataFrame | None"


def add_input_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options for the files of a study: stimuli, ratings and checkpoint answers."""
    add = parser.add_argument
    add("--stimuli", type=Path, required=True, metavar="FILE", help="data_<lang>.tsv")
    add("--ratings", type=Path, required=True, metavar="FILE", help="CSV, TSV or Parquet")
    add("--checkpoints", type=Path, metavar="FILE", help="answers to checkpoint items, CSV")
    add("--language", required=True, metavar="CODE", help="such as sl")


def add_recipe_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `recipe_from`."""
    parser.add_argument(
        "--recipe",
        metavar="NAME_OR_FILE",
        help=f"one of {', '.join(list_recipes())}, or a file (default: {RECIPE})",
    )
    parser.add_argument(
        "--set",
        dest="changes",
        action="append",
        default=[],
        metavar="SETTING=VALUE",
        help="change a setting of the recipe, such as calibration.threshold=0.5; repeatable",
    )


def recipe_from(options: argparse.Namespace) -> "Recipe":
    """Return the recipe of parsed options. Raises RecipeError or OSError."""
    from postprocess.steps.recipe import read_recipe

    return read_recipe(options.recipe or RECIPE, options.changes)


def add_design_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `read_designed`."""
    parser.add_argument(
        "--design",
        metavar="NAME_OR_FILE",
        help="take the scale and, without --recipe, the recipe from a design",
    )
    parser.add_argument(
        "--adjudicated",
        type=Path,
        metavar="FILE",
        help="answers that were decided on, for items without a majority: adjudicated_<lang>.tsv",
    )


def read_designed(options: argparse.Namespace) -> Designed:
    """Read the stimuli and decisions of parsed options by the design, or as those of CoSimLex.

    Raises DesignError, RecipeError, RatingsError or OSError.
    """
    from postprocess.designs.design import read_design
    from postprocess.designs.items import parse_items
    from postprocess.formats.reading import load_ratings
    from postprocess.formats.stimuli import parse_stimuli

    data, decided = options.stimuli.read_bytes(), options.adjudicated
    design = read_design(options.design) if options.design else None
    if design and not options.recipe:
        recipe = design.as_recipe(options.changes)
    else:
        recipe = recipe_from(options)
        recipe = recipe.on_scale(design.scale.as_scale()) if design else recipe
    if design and design.n_contexts == 2:
        design = None  # its files are those of CoSimLex
    return Designed(
        design,
        recipe,
        parse_items(data, design.item) if design else parse_stimuli(data),
        load_ratings(decided, options.language) if decided else None,
    )


def add_choice_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of a release that do not depend on the source of the ratings."""
    add = parser.add_argument
    add("--practice", type=int, default=0, metavar="N", help="number of pairs for the practice kit")
    add("--seed", type=int, default=0, metavar="N", help="seed of their choice (default: 0)")
    add(
        "--complete",
        action="store_true",
        help="refuse if texts are still to be written by a person",
    )
    add(
        "--accept-unscored",
        action="store_true",
        help="release the dataset without the pairs of which a context has no score",
    )
    add(
        "--withhold-unknown",
        action="store_true",
        help="mask texts whose licence is not known, too, not only those that may not be published",
    )
    add_name_argument(parser)
    add_report_argument(parser)


def add_name_argument(parser: argparse.ArgumentParser) -> None:
    """Add the option with the name of the dataset in its files."""
    parser.add_argument(
        "--name",
        type=_name,
        help="call the dataset NAME_<language>.csv (default: the name in the description or of the "
        "study; without one cosimlex, as in the published layout)",
    )


def _name(text: str) -> str:
    try:
        return check_name(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"{text!r} {error}") from error


def add_report_argument(parser: argparse.ArgumentParser) -> None:
    """Add the option that omits the report."""
    parser.add_argument(
        "--no-report",
        action="store_true",
        help="omit the report: HTML page, PDF, figures and Table 1 in LaTeX",
    )


def add_scale_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `scale_from` and `published_scale_from`."""
    for option, ends, scale in (
        ("--scale", (0.0, 6.0), "rating scale"),
        ("--published-scale", (0.0, 10.0), "scale of the published scores"),
    ):
        parser.add_argument(
            option,
            type=float,
            nargs=2,
            default=ends,
            metavar=("MIN", "MAX"),
            help=f"the ends of the {scale} (default: {ends[0]:g} {ends[1]:g})",
        )
    parser.add_argument(
        "--step",
        type=float,
        default=1.0,
        metavar="POINTS",
        help="the distance between adjacent ratings (default: 1)",
    )


def scale_from(options: argparse.Namespace) -> Scale:
    """Return the rating scale of parsed options. Raises RatingsError."""
    low, high = options.scale
    return Scale(low, high, options.step)


def published_scale_from(options: argparse.Namespace) -> Scale:
    """Return the scale of the published scores. Raises RatingsError."""
    low, high = options.published_scale
    return Scale(low, high, high - low)
