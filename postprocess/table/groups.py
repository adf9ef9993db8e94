"""Groups: the questionnaires whose items the same annotators rated, given or found."""

import numpy as np
import pandas as pd
from scipy.sparse import csr_array

from postprocess.table.ratings import index_names, number_items
from postprocess.types import Codes

SETS_AT_ONCE = 5000  # sets of annotators that are compared together


def with_groups(ratings: pd.DataFrame) -> pd.DataFrame:
    """Return the ratings with a column group: the given one, or that of `find_groups`."""
    if "group" in ratings:
        return ratings
    return ratings.assign(group=find_groups(ratings))


def find_groups(ratings: pd.DataFrame) -> pd.Series:
    """Find the questionnaire of each rating from the items that annotators share.

    Two contexts are in one group if more than half of the annotators who rated either rated both
    (Jaccard index above 0.5), or if a chain of such contexts connects them. Contexts are clustered
    instead of annotators because every context is in one questionnaire, whereas an annotator may
    do two of them, and one who dropped out shares few contexts with the others.

    Parameters
    ----------
    ratings : DataFrame, shape (n_ratings, 3 or more)
        Columns pair, context and annotator.

    Returns
    -------
    Series, shape (n_ratings,)
        Names "1", "2", … in the order of each group's first pair and context; the index is
        that of the ratings.

    Examples
    --------
    >>> find_groups(
    ...     pd.DataFrame({"pair": [1, 1, 2], "context": [1, 2, 1], "annotator": ["A", "B", "A"]})
    ... ).tolist()
    ['1', '2', '1']
    """
    annotator, annotators = index_names(ratings["annotator"])
    item, items = pd.factorize(number_items(ratings), sort=True)
    order = np.lexsort((annotator, item))
    raters = np.split(annotator[order], np.cumsum(np.bincount(item))[:-1])
    _, set_of_item = np.unique([members.tobytes() for members in raters], return_inverse=True)
    first = np.unique(set_of_item, return_index=True)[1]
    belongs = _membership([raters[i] for i in first], len(annotators))
    component = _join_overlapping(belongs)[set_of_item]
    in_order_of_first, _ = pd.factorize(component)
    names = np.array([str(number + 1) for number in range(len(items))], dtype=object)
    return pd.Series(names[in_order_of_first[item]], index=ratings.index, name="group")


def _membership(sets: list[Codes], n_members: int) -> csr_array:
    sizes = [len(members) for members in sets]
    starts = np.concatenate([[0], np.cumsum(sizes)])
    ones = np.ones(starts[-1], dtype=np.int64)
    return csr_array((ones, np.concatenate(sets), starts), shape=(len(sets), n_members))


def _join_overlapping(belongs: csr_array) -> Codes:
    """Return the component of each set; sets with a Jaccard index above 0.5 are connected."""
    from scipy.sparse.csgraph import connected_components  # 9 MB, for ratings without groups alone

    sizes = belongs.sum(axis=1)
    ends: list[tuple[Codes, Codes]] = []
    for start in range(0, belongs.shape[0], SETS_AT_ONCE):  # all together may not fit in memory
        shared = (belongs[start : start + SETS_AT_ONCE] @ belongs.T).tocoo()
        i, j = shared.row + start, shared.col
        joined = 2 * shared.data > sizes[i] + sizes[j] - shared.data
        ends.append((i[joined], j[joined]))
    rows, columns = (np.concatenate(side) for side in zip(*ends, strict=True))
    graph = csr_array((np.ones(len(rows)), (rows, columns)), shape=(len(sizes), len(sizes)))
    return np.asarray(connected_components(graph, directed=False)[1])
