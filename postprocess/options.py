"""The command-line options that choose a recipe, for every command that offers them."""

import argparse

from postprocess.recipe import Recipe, RecipeError, list_presets, read_recipe

__all__ = ["RecipeError", "add_recipe_arguments", "recipe_from"]


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
