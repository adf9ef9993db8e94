"""The command-line options that more than one command offers."""

import argparse

from postprocess.steps.recipe import Recipe, RecipeError, list_presets, read_recipe

__all__ = ["RecipeError", "add_choice_arguments", "add_recipe_arguments", "recipe_from"]


def add_recipe_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options from which `recipe_from` makes a Recipe."""
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
    """The recipe that parsed options ask for. Raises RecipeError or OSError."""
    return read_recipe(options.recipe, options.changes)


def add_choice_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of a release that do not depend on where the ratings are."""
    add = parser.add_argument
    add("--practice", type=int, default=0, metavar="N", help="pairs to take out for practice")
    add("--seed", type=int, default=0, metavar="N", help="of their choice (default: 0)")
    add(
        "--complete",
        action="store_true",
        help="refuse while anything is still to be written by a person",
    )
    add_report_argument(parser)


def add_report_argument(parser: argparse.ArgumentParser) -> None:
    """Add the option that leaves out the report for people."""
    parser.add_argument(
        "--no-report",
        action="store_true",
        help="leave out the report for people: page, PDF, figures and Table 1 in LaTeX",
    )
