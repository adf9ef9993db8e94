"""`python -m postprocess effects`: changes by a mixed model with effects of annotators."""

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from postprocess.commands.options import add_input_arguments, add_recipe_arguments, recipe_from
from postprocess.commands.progress import showing_progress
from postprocess.formats.stimuli import parse_stimuli
from postprocess.formats.writing import write_files
from postprocess.reporting.phrases import write_count
from postprocess.version import __version__

if TYPE_CHECKING:
    from postprocess.statistics.effects.estimate import Effects
    from postprocess.steps.post_process import Outcome
    from postprocess.steps.recipe import Recipe

EPILOG = (
    "Ratings are taken as given: of the recipe, only its scales and exclusions are used. "
    "Calibration and filtering are not applied, since the model estimates the differences between "
    "annotators. See docs/statistics.md."
)
DIGITS = 4  # significant ones, in effects.tsv


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    parser.epilog = EPILOG
    add_input_arguments(parser)
    add_recipe_arguments(parser)
    add = parser.add_argument
    add(
        "--least",
        type=float,
        metavar="POINTS",
        help="the change from which a pair counts as changed (default: a tenth of the scale)",
    )
    add("--seed", type=int, default=1, metavar="N", help="seed of the intervals (default: 1)")
    add("--out", type=Path, metavar="DIR", help="write effects.tsv and effects.json to DIR")


def run(options: argparse.Namespace) -> int:
    """Print the estimated effects; write the files with --out."""
    import numpy as np

    from postprocess.formats.reading import load_checks, load_ratings
    from postprocess.statistics.effects.estimate import estimate_effects
    from postprocess.statistics.effects.text import render_effects
    from postprocess.steps.post_process import post_process

    recipe = _without_adjustments(recipe_from(options))
    stimuli = parse_stimuli(options.stimuli.read_bytes())
    checks = load_checks(options.checkpoints) if options.checkpoints else None
    ratings = load_ratings(options.ratings, options.language)
    with showing_progress() as progress:
        outcome = post_process(
            ratings, recipe, n_pairs=len(stimuli.rows), checks=checks, progress=progress
        )
        effects = estimate_effects(
            outcome.used,
            recipe.scale.as_scale(),
            recipe.rescaling.as_scale(),
            least=options.least,
            rng=np.random.default_rng(options.seed),
            progress=progress,
        )
    if n_left_out := len(outcome.ledger) - len(outcome.used):
        sys.stdout.write(f"{write_count(n_left_out, 'rating')} left out by the recipe\n")
    sys.stdout.write(render_effects(effects))
    if options.out:
        files = {
            "effects.tsv": _render_pairs(effects, outcome, stimuli.rows),
            "effects.json": _render_figures(effects, outcome, options),
        }
        for path in write_files(files, options.out):
            sys.stdout.write(f"written   {path}\n")
    return 0


def _without_adjustments(recipe: "Recipe") -> "Recipe":
    return recipe.model_copy(
        update={
            name: getattr(recipe, name).model_copy(update={"enabled": False})
            for name in ("calibration", "filtering")
        }
    )


def _render_pairs(
    effects: "Effects", outcome: "Outcome", rows: tuple[tuple[str, ...], ...]
) -> bytes:
    """Return the table of pairs with their words, and q of the ratings as given, with its note."""
    from postprocess.table.rendering import render_table

    table = effects.pairs.join(outcome.scores.filter(["qvalue", "note"])).reset_index()
    for place, name in enumerate(("word1", "word2"), 1):
        table.insert(place, name, [rows[pair - 1][place - 1] for pair in table["pair"]])
    floats = table.select_dtypes("float").columns
    table[floats] = table[floats].map(lambda figure: float(f"{figure:.{DIGITS}g}"))
    return render_table(table).encode()


def _render_figures(effects: "Effects", outcome: "Outcome", options: argparse.Namespace) -> bytes:
    from postprocess.reporting.report import plain_report, render_report
    from postprocess.statistics.effects.text import list_figures

    reasons = outcome.ledger["reason"].value_counts()
    origin = {
        "version": __version__,
        "language": options.language,
        "recipe": outcome.recipe.name,
        "scale": outcome.recipe.scale.model_dump(),
        "published_scale": outcome.recipe.rescaling.model_dump(),
        "seed": options.seed,
        "left_out": {str(reason): int(n) for reason, n in reasons.items() if reason and n},
    }
    return render_report(plain_report({**origin, **list_figures(effects)})).encode()
