"""A collection: the scores of some items, with the ratings behind them if they are known."""

from collections.abc import Collection as Names
from dataclasses import dataclass, field

import pandas as pd

from postprocess.formats.stimuli import COLUMNS
from postprocess.steps.post_process import Outcome
from postprocess.steps.rehearsal import count_scripted
from postprocess.table.details import TRAITS, find_parts_of_speech, join_details
from postprocess.table.ratings import Scale
from postprocess.two_collections.sources import PEOPLE_RATED, Source

Rows = tuple[tuple[str, ...], ...]
SCORES = ("n1", "n2", "sim1", "sim2", "stdev1", "stdev2")


@dataclass(frozen=True)
class Collection:
    """Scores of the pairs of some stimuli, by people or by a language model.

    `name`: in tables and figures; `language`: code; `rows`: of the stimuli, in the order of
    `stimuli.COLUMNS`; `scores`: a row for each of them (index pair, from 1) with n1, n2 (NaN if
    unknown), sim1, sim2, stdev1, stdev2, on the scale `published`; `ratings`: pair, context,
    annotator, rating in points of `scale`, and group, or None if only the scores are known;
    `recipe`: how the scores follow from the ratings; `traits`: block and pos of each pair, if
    known; `n_scripted`: ratings by scripts, of a rehearsal.
    """

    name: str
    language: str
    rows: Rows
    scores: pd.DataFrame
    published: Scale
    ratings: pd.DataFrame | None = None
    scale: Scale | None = None
    source: Source = PEOPLE_RATED
    recipe: str = ""
    traits: pd.DataFrame = field(default_factory=pd.DataFrame)
    n_scripted: int = 0


def collection_of_outcome(
    outcome: Outcome,
    rows: Rows,
    *,
    name: str,
    language: str,
    source: Source | None = None,
    details: pd.DataFrame | None = None,
    scripted: Names[str] = (),
) -> Collection:
    """Return the collection of post-processed ratings.

    Parameters
    ----------
    outcome : Outcome
        The result of `post_process`; the ratings in its scores are compared.
    rows : tuple of tuples of str
        Of the stimuli.
    name, language, source
        As in `Collection`; by default people rated.
    details : DataFrame, optional
        As `join_details` takes it, for parts of speech and blocks.
    scripted : collection of str
        Annotators that are scripts.

    Raises
    ------
    RatingsError
        As `join_details` and `find_parts_of_speech`.
    """
    used = outcome.used
    return Collection(
        name=name,
        language=language,
        rows=rows,
        scores=outcome.scores[list(SCORES)],
        published=outcome.recipe.rescaling.as_scale(),
        ratings=used,
        scale=outcome.recipe.scale.as_scale(),
        source=source or PEOPLE_RATED,
        recipe=outcome.recipe.name,
        traits=_find_traits(join_details(used, details), len(rows)),
        n_scripted=count_scripted(used, scripted)["ratings_scripted"],
    )


def collection_of_scores(
    table: pd.DataFrame, published: Scale, *, name: str, language: str, source: Source | None = None
) -> Collection:
    """Return the collection of a published dataset, without ratings.

    `table` is that of `read_dataset`, and `published` the scale of its scores; the others are as in
    `Collection`.
    """
    rows = tuple(map(tuple, table[list(COLUMNS)].to_numpy(dtype=str).tolist()))
    return Collection(
        name=name,
        language=language,
        rows=rows,
        scores=table.reindex(columns=list(SCORES)).astype(float),
        published=published,
        source=source or PEOPLE_RATED,
    )


def _find_traits(ratings: pd.DataFrame, n_pairs: int) -> pd.DataFrame:
    """Return the traits of each pair that are known: its only block, and its part of speech."""
    traits = pd.DataFrame(index=pd.RangeIndex(1, n_pairs + 1, name="pair"))
    if (pos := find_parts_of_speech(ratings)) is not None:
        traits["pos"] = pos
    if "block" in ratings:
        found = ratings.dropna(subset="block").groupby("pair")["block"]
        traits["block"] = found.first().where(found.nunique() == 1)
    return traits[[name for name in TRAITS if name in traits]]
