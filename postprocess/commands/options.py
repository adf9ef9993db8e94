"""Command-line options of several commands."""

import argparse

from postprocess.steps.recipe import Recipe, RecipeError, list_presets, read_recipe

__all__ = ["RecipeError", "add_choice_arguments", "add_recipe_arguments", "recipe_from"]


def add_recipe_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `recipe_from`."""
    parser.add_argument(
        "--recipe",
        default="cosimlex",
        metavar="NAME_OR_FILE",
        help=f"one of {', '.join(list_presets())}, or a file (default: %(default)s)",
    )
    parser.add_argument(
        "--set",
        dest="changes",
        action="append",
        default=[],
        metavar="SETTING=VALUE",
        help="change a setting of the recipe, such as calibration.threshold=0.5; repeatable",
    )


def recipe_from(options: argparse.Namespace) -> Recipe:
    """Return the recipe of parsed options. Raises RecipeError or OSError."""
    return read_recipe(options.recipe, options.changes)


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
    add_report_argument(parser)


def add_report_argument(parser: argparse.ArgumentParser) -> None:
    """Add the option that omits the report."""
    parser.add_argument(
        "--no-report",
        action="store_true",
        help="omit the report: HTML page, PDF, figures and Table 1 in LaTeX",
    )
