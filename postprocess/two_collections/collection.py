"""A collection: the scores of some items, with the ratings behind them if they are known."""

from collections.abc import Collection as Names
from dataclasses import dataclass, field

import pandas as pd

from postprocess.formats.stimuli import COLUMNS
from postprocess.reporting.report import describe_gaps, report_gaps
from postprocess.steps.post_process import Outcome
from postprocess.steps.rehearsal import count_scripted
from postprocess.table.details import TRAITS, find_parts_of_speech, join_details
from postprocess.table.ratings import Scale
from postprocess.two_collections.sources import PEOPLE_RATED, Source

Rows = tuple[tuple[str, ...], ...]
SCORES = ("n1", "n2", "sim1", "sim2", "stdev1", "stdev2")
ALONE = ("alone1", "alone2")  # whether nobody of the context's questionnaire could be compared


@dataclass(frozen=True)
class Collection:
    """Scores of the pairs of some stimuli, by people or by a language model.

    `name`: in tables and figures; `language`: code; `rows`: of the stimuli, in the order of
    `stimuli.COLUMNS`; `scores`: a row for each of them (index pair, from 1) with n1, n2 (NaN if
    unknown), sim1, sim2, stdev1, stdev2, on the scale `published`, and perhaps `ALONE`; `ratings`:
    pair, context, annotator, rating in points of `scale`, and group, or None if only the scores are
    known; `recipe`: how the scores follow from the ratings; `traits`: block and pos of each pair,
    if known; `n_scripted`: ratings by scripts, of a rehearsal; `unscored`: the pairs that have no
    row in the scores; `gaps`: a sentence on these, and on contexts that are alone.
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
    unscored: frozenset[int] = frozenset()
    gaps: str = ""


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

    Examples
    --------
    >>> from postprocess.steps.post_process import post_process
    >>> from postprocess.steps.recipe import read_recipe
    >>> ratings = pd.DataFrame(
    ...     {"pair": 1, "context": [1, 2], "annotator": "A", "rating": [0, 6]})
    >>> outcome = post_process(ratings, read_recipe("raw"), n_pairs=1)
    >>> rows = (("ice", "sun", "one", "two", "", "", "", ""),)
    >>> collection_of_outcome(outcome, rows, name="A", language="en").scores["sim2"].tolist()
    [10.0]
    """
    used, scores, gaps = outcome.used, outcome.scores[list(SCORES)], report_gaps(outcome)
    if gaps:
        for context, column in enumerate(ALONE, 1):
            alone = outcome.uncompared[outcome.uncompared["context"] == context]
            scores = scores.assign(**{column: scores.index.isin(alone["pair"])})
    return Collection(
        name=name,
        language=language,
        rows=rows,
        scores=scores,
        published=outcome.recipe.rescaling.as_scale(),
        ratings=used,
        scale=outcome.recipe.scale.as_scale(),
        source=source or PEOPLE_RATED,
        recipe=outcome.recipe.name,
        traits=_find_traits(join_details(used, details), len(rows)),
        n_scripted=count_scripted(used, scripted)["ratings_scripted"],
        unscored=frozenset(outcome.pairs.index.difference(outcome.scores.index)),
        gaps=describe_gaps(gaps),
    )


def collection_of_scores(
    table: pd.DataFrame, published: Scale, *, name: str, language: str, source: Source | None = None
) -> Collection:
    """Return the collection of a published dataset, without ratings.

    Parameters
    ----------
    table : DataFrame, shape (n_pairs, 10 or more), index pair
        As `read_dataset` returns it: the columns of the stimuli, sim1 and sim2, and those of n1,
        n2, stdev1, stdev2 that are known.
    published : Scale
        Of the scores.
    name, language, source
        As in `Collection`; by default people rated.

    Examples
    --------
    >>> rows = [("ice", word, f"{word} one", f"{word} two", "", "", "", "") for word in "abc"]
    >>> table = pd.DataFrame(rows, columns=COLUMNS, index=[1, 2, 3]).assign(sim1=1, sim2=[2, 5, 8])
    >>> made = collection_of_scores(table, Scale(0, 10), name="A", language="en")
    >>> made.scores[["n1", "sim2"]].values.tolist()
    [[nan, 2.0], [nan, 5.0], [nan, 8.0]]
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
        blocks = ratings.dropna(subset="block").groupby("pair")["block"]
        traits["block"] = blocks.first().where(blocks.nunique() == 1)
    return traits[[name for name in TRAITS if name in traits]]
