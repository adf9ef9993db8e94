"""The ratings as numbers: which effects each rating has, and which effects are connected."""

from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from postprocess.table.groups import with_groups
from postprocess.table.ratings import RatingsError, Scale, index_names, name_some
from postprocess.types import Bools, Floats, Integers

FEWEST_PAIRS = 5
MOST_CROSSED = 6000  # annotators and questionnaires in one part: a matrix of 288 MB


class Part(NamedTuple):
    """A part of a study that shares no annotator, questionnaire or pair with the rest."""

    ratings: slice
    pairs: slice
    crossed: slice

    @property
    def contexts(self) -> slice:
        """The positions of the context effects."""
        return slice(2 * self.pairs.start, 2 * self.pairs.stop)


@dataclass(frozen=True)
class Design:
    """The effects behind each rating; ratings, pairs and crossed effects are ordered by part.

    `point`, shape (n_ratings,), is the position of the rating among `points`, those points of the
    scale that occur. `context` is twice the position of the pair in `pairs`, plus 1 for context 2.
    `annotator` and `questionnaire` are positions among the crossed effects, whose names are
    `names`; `is_annotator` says which of them are annotators.
    """

    point: Integers
    context: Integers
    annotator: Integers
    questionnaire: Integers
    points: Floats
    pairs: Integers
    names: pd.Index
    is_annotator: Bools
    parts: tuple[Part, ...]

    @property
    def n_contexts(self) -> int:
        """The number of context effects."""
        return 2 * len(self.pairs)

    @property
    def n_crossed(self) -> int:
        """The number of effects of annotators and questionnaires."""
        return len(self.names)

    @property
    def n_questionnaires(self) -> int:
        """The number of questionnaires."""
        return int((~self.is_annotator).sum())


def design_study(ratings: pd.DataFrame, scale: Scale) -> Design:
    """Number the effects of a study.

    Parameters
    ----------
    ratings : DataFrame, shape (n_ratings, 4 or 5)
        Columns pair, context, annotator and rating in points of `scale`, and perhaps group; only
        ratings that count. Groups that are not given are found.
    scale : Scale
        Of the ratings.

    Raises
    ------
    RatingsError
        Ratings from which the model cannot be estimated: all equal, of fewer than five pairs, with
        a context without ratings, with only one rating for every context, or with too many
        annotators in one part.

    Examples
    --------
    >>> ratings = pd.DataFrame({"pair": np.repeat(range(1, 6), 4), "context": [1, 1, 2, 2] * 5,
    ...     "annotator": list("ABCD") * 5, "group": list("QQRR") * 5, "rating": [0, 1, 2, 6] * 5})
    >>> design = design_study(ratings, Scale())
    >>> design.points.tolist(), design.names.tolist(), design.context[:4].tolist()
    ([0.0, 1.0, 2.0, 6.0], ['A', 'B', 'C', 'D', 'Q', 'R'], [0, 0, 1, 1])
    """
    rating = ratings["rating"].to_numpy(dtype=float)
    if np.isnan(rating).any():
        raise RatingsError("ratings without a value: leave them out before the model is estimated")
    ratings = with_groups(ratings)
    pair, pairs = pd.factorize(ratings["pair"].to_numpy(), sort=True)
    context = 2 * pair + ratings["context"].to_numpy() - 1
    refuse_unusable(rating, np.bincount(context, minlength=2 * len(pairs)), pairs)
    annotator, annotators = index_names(ratings["annotator"])
    group, groups = index_names(ratings["group"])
    crossed = np.column_stack([annotator, group.astype(np.int64) + len(annotators)])
    names = annotators.append(groups)
    part_of_pair, part_of_crossed = find_parts(pair, crossed, len(pairs), len(names))
    of_pair, of_crossed = (
        np.argsort(part, kind="stable") for part in (part_of_pair, part_of_crossed)
    )
    of_rating = np.argsort(part_of_pair[pair], kind="stable")
    context = 2 * np.argsort(of_pair)[pair] + context % 2
    crossed = np.argsort(of_crossed)[crossed]
    steps = np.rint((rating - scale.minimum) / scale.step)
    point, used = pd.factorize(steps, sort=True)
    parts = list_parts(part_of_pair[pair], part_of_pair, part_of_crossed)
    refuse_too_large(parts)
    return Design(
        point=point[of_rating],
        context=context[of_rating],
        annotator=crossed[of_rating, 0],
        questionnaire=crossed[of_rating, 1],
        points=scale.minimum + scale.step * used,
        pairs=pairs[of_pair],
        names=names[of_crossed],
        is_annotator=of_crossed < len(annotators),
        parts=parts,
    )


def refuse_unusable(rating: Floats, n_ratings: Integers, pairs: Integers) -> None:
    """Raise RatingsError if the model cannot be estimated from these ratings at all.

    `n_ratings` are the numbers of ratings of the contexts 1 and 2 of each pair.
    """
    if len(pairs) < FEWEST_PAIRS:
        raise RatingsError(
            f"the variance between pairs needs {FEWEST_PAIRS} pairs or more, got {len(pairs)}"
        )
    if missing := [
        f"pair {pairs[i // 2]} context {i % 2 + 1}" for i in np.flatnonzero(n_ratings == 0)
    ]:
        raise RatingsError(f"contexts without ratings: {name_some(missing)}")
    if (n_ratings == 1).all():
        raise RatingsError(
            "every context has only one rating, so that differences between contexts cannot be "
            "separated from differences between annotators; collect two or more for each"
        )
    if (rating == rating[0]).all():
        raise RatingsError(f"all ratings are {rating[0]:g}: there are no differences to explain")


def find_parts(
    pair: Integers, crossed: Integers, n_pairs: int, n_crossed: int
) -> tuple[Integers, Integers]:
    """Number the connected part of each pair, and of each annotator and questionnaire.

    `crossed`, shape (n_ratings, 2), are the positions of annotator and questionnaire.
    """
    ends = np.repeat(pair, 2), n_pairs + crossed.ravel()
    n_nodes = n_pairs + n_crossed
    graph = csr_array((np.ones(len(ends[0])), ends), shape=(n_nodes, n_nodes))
    part = connected_components(graph, directed=False)[1]
    return part[:n_pairs], part[n_pairs:]


def list_parts(of_rating: Integers, of_pair: Integers, of_crossed: Integers) -> tuple[Part, ...]:
    """Return the parts, given the number of the part of each rating, pair and crossed effect."""
    n_parts = int(of_pair.max()) + 1
    ends = [
        np.append(0, np.cumsum(np.bincount(of, minlength=n_parts)))
        for of in (of_rating, of_pair, of_crossed)
    ]
    slices = ([slice(*pair) for pair in pairwise(end.tolist())] for end in ends)
    return tuple(Part(*three) for three in zip(*slices, strict=True))


def refuse_too_large(parts: tuple[Part, ...]) -> None:
    """Raise RatingsError if a part has too many annotators for the memory of usual machines."""
    n_crossed = max(part.crossed.stop - part.crossed.start for part in parts)
    if n_crossed > MOST_CROSSED:
        raise RatingsError(
            f"{n_crossed:,} annotators and questionnaires are connected by the pairs they rated; "
            f"the model can be estimated for {MOST_CROSSED:,}. Estimate it for a random part of "
            "the annotators, with all pairs"
        )


def predict(design: Design, effects: Floats) -> Floats:
    """Return the linear predictor of each rating, the sum of its effects."""
    crossed = effects[design.n_contexts :]
    together = crossed[design.annotator] + crossed[design.questionnaire]
    return np.asarray(effects[design.context] + together)


def collect(design: Design, figures: Floats) -> Floats:
    """Add up figures of the ratings for each effect; the transpose of `predict`."""
    n = design.n_crossed
    crossed = np.bincount(design.annotator, figures, minlength=n)
    crossed += np.bincount(design.questionnaire, figures, minlength=n)
    contexts = np.bincount(design.context, figures, minlength=design.n_contexts)
    return np.concatenate([contexts, crossed])
