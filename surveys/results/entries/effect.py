"""The effect of a recipe on the ratings of a study, without storing anything."""

from typing import TYPE_CHECKING, Any, NamedTuple

from surveys.errors import RunRefused
from surveys.models import Pair, Response, Study
from surveys.operations.job_process import in_job_process
from surveys.results.entries.recipe import find_changed
from surveys.results.ratings_table import collect_study
from surveys.results.runs import read_recipe

if TYPE_CHECKING:
    import pandas as pd

    from postprocess.steps.recipe import Recipe

MOST_RATINGS = 200_000  # more take too long while a page is waiting
N_ANNOTATORS = 50  # that are listed
N_SCORES = 10


class RecipeEffect(NamedTuple):
    """What a recipe would do to the ratings of a study, compared with the ratings as given.

    `original` and `changed`: see `find_changed`. `annotators` and `scores` are the first rows of
    those in `Effect`, with `words` for each score; `n_left_out`, `n_shifted` and `n_changed`
    count all of them.
    """

    original: str
    changed: list[str]
    n_ratings: int
    n_used: int
    n_moved: int
    excluded: dict[str, int]
    annotators: list[dict[Any, Any]]
    n_left_out: int
    n_shifted: int
    scores: list[dict[Any, Any]]
    n_changed: int


@in_job_process
def preview_recipe(study: Study, text: str) -> RecipeEffect:
    """Apply a recipe in TOML to the ratings of a study. Raises RunRefused or RatingsMissing."""
    from postprocess.pipeline import options_of
    from postprocess.steps.effect import measure_effect
    from postprocess.steps.post_process import post_process
    from postprocess.table.ratings import RatingsError

    recipe = read_recipe(study, text)
    n_answers = Response.objects.for_study(study).rated().count()
    if n_answers > MOST_RATINGS:
        raise RunRefused(
            f"With {n_answers:,} ratings the effect cannot be calculated on the page. Run the "
            "recipe and “raw”, and compare the two runs."
        )
    collected = collect_study(study)
    n_pairs = len(collected.stimuli.pairs)
    try:
        as_given, outcome = (
            post_process(
                collected.ratings,
                applied,
                n_pairs=n_pairs,
                checks=collected.checks,
                decisions=collected.decisions,
                **options_of(collected.design),
            )
            for applied in (_without_steps(recipe), recipe)
        )
    except RatingsError as error:
        raise RunRefused(str(error)) from error
    effect = measure_effect(as_given, outcome)
    scores = _list_rows(effect.scores.head(N_SCORES))
    words = _name_pairs(study, [row["pair"] for row in scores])
    n_left_out = int((effect.annotators["n_used"] == 0).sum())
    original, changed = find_changed(text)
    return RecipeEffect(
        original,
        changed,
        effect.n_ratings,
        effect.n_used,
        effect.n_moved,
        effect.excluded,
        _list_rows(effect.annotators.head(N_ANNOTATORS)),
        n_left_out,
        len(effect.annotators) - n_left_out,
        [{**row, "words": words[row["pair"]]} for row in scores],
        len(effect.scores),
    )


def _without_steps(recipe: "Recipe") -> "Recipe":
    """Return the recipe "raw" for the same scales."""
    from postprocess.steps.recipe import read_recipe

    scales = {"scale": recipe.scale, "rescaling": recipe.rescaling}
    return read_recipe("raw").model_copy(update=scales)


def _name_pairs(study: Study, positions: list[int]) -> dict[int, str]:
    pairs = Pair.objects.filter(study=study, is_checkpoint=False, position__in=positions)
    return {pair.position: str(pair) for pair in pairs}


def _list_rows(table: "pd.DataFrame") -> list[dict[Any, Any]]:
    """Return the rows of a table, with None for missing values."""
    return table.astype(object).where(table.notna(), None).to_dict("records")
