"""`python -m postprocess compare`: two recipes on the same ratings."""

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from postprocess.commands.options import add_input_arguments
from postprocess.extras import require_report
from postprocess.formats.stimuli import parse_stimuli
from postprocess.formats.writing import write_files
from postprocess.reporting.phrases import write_number
from postprocess.steps import list_recipes

if TYPE_CHECKING:
    from postprocess.steps.comparison import Comparison


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    add = parser.add_argument
    add("first", metavar="RECIPE", help=f"one of {', '.join(list_recipes())}, or a file")
    add("second", metavar="RECIPE", help="the recipe to compare it with")
    add_input_arguments(parser)
    add("--out", type=Path, metavar="DIR", help="also write the tables and the figure to DIR")


def run(options: argparse.Namespace) -> int:
    """Run both recipes and print the differences."""
    from postprocess.formats.reading import load_checks, load_ratings
    from postprocess.steps.comparison import compare_outcomes
    from postprocess.steps.post_process import post_process
    from postprocess.steps.recipe import read_recipe

    if options.out:
        require_report()
    recipes = [read_recipe(name) for name in (options.first, options.second)]
    n_pairs = len(parse_stimuli(options.stimuli.read_bytes()).rows)
    ratings = load_ratings(options.ratings, options.language)
    checks = load_checks(options.checkpoints) if options.checkpoints else None
    outcomes = [post_process(ratings, recipe, n_pairs=n_pairs, checks=checks) for recipe in recipes]
    comparison = compare_outcomes(*outcomes)
    sys.stdout.write(f"{recipes[0].name} → {recipes[1].name}\n")
    width = max(map(len, comparison.summary))
    for name, figure in comparison.summary.items():
        sys.stdout.write(f"{name:<{width}}{write_number(figure):>10}\n")
    if options.out:
        files = {**_tables(comparison), **_draw(comparison, *(recipe.name for recipe in recipes))}
        for path in write_files(files, options.out):
            sys.stdout.write(f"written   {path}\n")
    return 0


def _draw(comparison: "Comparison", first: str, second: str) -> dict[str, bytes]:
    # imported here: loading Matplotlib takes longer than the comparison
    from postprocess.reporting.figures.drawing import render_png, render_svg
    from postprocess.reporting.figures.recipes import TITLE, caption_recipes, draw_recipes

    figure = draw_recipes(comparison, first, second)
    caption = caption_recipes(comparison, first, second)
    return {
        "compared.svg": render_svg(figure, title=TITLE, description=caption),
        "compared.png": render_png(figure),
    }


def _tables(comparison: "Comparison") -> dict[str, bytes]:
    from postprocess.table.rendering import render_table

    tables = {
        "compared_scores.tsv": comparison.scores.reset_index(),
        "compared_annotators.tsv": comparison.annotators,
    }
    return {name: render_table(table).encode() for name, table in tables.items()}
