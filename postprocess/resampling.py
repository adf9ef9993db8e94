"""Bootstrap: items drawn again with replacement, and the interval that figures of them span."""

from collections.abc import Sequence

import numpy as np

from postprocess.stacks import Floats, Integers, Stack

MOST_UNDEFINED = 0.05  # resamples in which a figure may be undefined before it has no interval
FEWEST_ITEMS = 3  # of a group, for drawing within it to say anything


def can_resample(stacks: Sequence[Stack]) -> bool:
    """Whether most items are in groups of three or more, so that draws within groups differ.

    >>> can_resample([])
    False
    """
    n_items = sum(stack.items.size for stack in stacks)
    large = [stack.items.size for stack in stacks if stack.items.shape[1] >= FEWEST_ITEMS]
    return 2 * sum(large) > n_items


def draw_items(
    stacks: Sequence[Stack], n_resamples: int, rng: np.random.Generator
) -> list[Integers]:
    """Draw items with replacement, in each group as many as it has.

    Parameters
    ----------
    stacks : sequence of Stack
        The groups.
    n_resamples : int
        How often.
    rng : numpy Generator
        Chance.

    Returns
    -------
    list of array of int, shapes (n_resamples, n_tables, n_items)
        For each stack the places of the drawn items in their tables.
    """
    return [
        rng.integers(stack.items.shape[1], size=(n_resamples, *stack.items.shape))
        for stack in stacks
    ]


def take_items(stack: Stack, drawn: Integers) -> Stack:
    """The drawn items of a stack of one slice, with each resample as a slice of its own.

    Parameters
    ----------
    stack : Stack
        Of n_tables tables.
    drawn : array of int, shape (n_resamples, n_tables, n_items)
        From `draw_items`.

    Returns
    -------
    Stack
        Of n_resamples × n_tables tables, with all annotators.
    """
    n_resamples, n_tables, n_items = drawn.shape
    n_annotators = stack.annotators.shape[1]
    everyone = np.arange(n_annotators)[:, None]
    tables = stack.tables[np.arange(n_tables)[:, None, None], everyone, drawn[:, :, None, :]]
    items = stack.items[np.arange(n_tables)[:, None], drawn]
    return Stack(
        tables=tables.reshape(-1, n_annotators, n_items),
        slices=np.repeat(np.arange(n_resamples), n_tables),
        annotators=np.tile(stack.annotators, (n_resamples, 1)),
        items=items.reshape(-1, n_items),
    )


def join_items(stacks: Sequence[Stack], drawn: Sequence[Integers]) -> Integers:
    """The drawn items of all stacks side by side, numbered as they stand in `Halves`.

    `drawn` comes from `draw_items`. Returns shape (n_resamples, n_items).
    """
    parts, n_before = [], 0
    for stack, places in zip(stacks, drawn, strict=True):
        n_tables, n_items = stack.items.shape
        starts = n_before + n_items * np.arange(n_tables)[:, None]
        parts.append((starts + places).reshape(len(places), -1))
        n_before += stack.items.size
    return np.concatenate(parts, axis=1)


def percentile_interval(figures: Floats, *, level: float = 0.95) -> tuple[float, float]:
    """The interval that holds a share of the figures, cut off equally at both ends.

    Parameters
    ----------
    figures : array, shape (n_resamples,)
        A figure of each resample, NaN where it is undefined.
    level : float
        The share.

    Returns
    -------
    tuple of float
        Its two ends, between figures by linear interpolation. NaN if there are none, or more
        than 5 % of them are undefined: the rest would be a choice of the better resamples.

    References
    ----------
    Efron and Tibshirani (1993), An introduction to the bootstrap.

    Examples
    --------
    >>> percentile_interval(np.arange(9.0), level=0.5)
    (2.0, 6.0)
    """
    defined = figures[~np.isnan(figures)]
    if len(defined) == 0 or len(defined) < (1 - MOST_UNDEFINED) * len(figures):
        return float("nan"), float("nan")
    low, high = np.quantile(defined, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)
