"""The annotators of each group split at random into halves, and the two means of every item."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from postprocess.correlations import DECIMALS
from postprocess.stacks import MOST_NUMBERS, Floats, Stack


class Halves(NamedTuple):
    """What each half of the annotators gave each item, in some splits.

    `sums` and `counts`, shape (2, n_splits, n_items): of the ratings of the first half and of
    the second. Items stand in the order of the stacks, of their tables and in them.
    """

    sums: Floats
    counts: Floats


class SplitMeans(NamedTuple):
    """Two independent estimates of something, by the two halves, in some splits.

    `first` and `second`, shape (n_splits, n_items), NaN where a half has no rating; `step`,
    shape (n_splits,): how much more of the noise of a mean is in that of a half than in that
    of all, which is 2 for even numbers of annotators without gaps.
    """

    first: Floats
    second: Floats
    step: Floats


def split_halves(
    stacks: Sequence[Stack], n_splits: int, rng: np.random.Generator
) -> Iterator[Halves]:
    """Split the annotators of each group at random, again and again.

    In each split every annotator gets a random number; those with the lower numbers in a group
    are its first half. So who is in two groups, or saw both contexts of a pair, is mostly in
    the same half of both. Of an odd number of annotators the second half has one more.

    Parameters
    ----------
    stacks : sequence of Stack
        The groups; their slices do not matter.
    n_splits : int
        How often.
    rng : numpy Generator
        Chance. The splits do not depend on how many are computed together.

    Yields
    ------
    Halves
        Some splits at a time, so that no array is larger than MOST_NUMBERS numbers, or one
        split.

    Raises
    ------
    ValueError
        No splits asked for.
    """
    if n_splits < 1:
        raise ValueError(f"n_splits must be 1 or more, got {n_splits}")
    known = np.unique(np.concatenate([stack.annotators.ravel() for stack in stacks]))
    seats = [np.searchsorted(known, stack.annotators) for stack in stacks]
    n_items = sum(stack.items.size for stack in stacks)
    n_together = max(1, MOST_NUMBERS // max(n_items, len(known)))
    for first in range(0, n_splits, n_together):
        lots = rng.random((min(n_together, n_splits - first), len(known)))
        parts = [_halve(stack, lots[:, seat]) for stack, seat in zip(stacks, seats, strict=True)]
        yield Halves(
            sums=np.concatenate([sums for sums, _ in parts], axis=2),
            counts=np.concatenate([counts for _, counts in parts], axis=2),
        )


def item_means(halves: Halves) -> SplitMeans:
    """The mean rating of each item in each half, to 9 decimals, so that equal ones are ties."""
    first, second = (halves.sums * _invert(halves.counts)).round(DECIMALS)
    step = step_of(_invert(halves.counts), _invert(halves.counts.sum(axis=0)))
    return SplitMeans(first, second, step)


def step_of(noise_of_half: Floats, noise_of_whole: Floats) -> Floats:
    """By how much the one exceeds the other, on average over the items that all have.

    `noise_of_half`, shape (2, n_splits, n_items), and `noise_of_whole`, shape (n_splits,
    n_items): one over the number of ratings; NaN for none. Returns shape (n_splits,).
    """
    of_half = noise_of_half.mean(axis=0)
    both = ~np.isnan(of_half)
    total = np.where(both, noise_of_whole, 0).sum(axis=1)
    ratio = np.where(both, of_half, 0).sum(axis=1) / np.where(total > 0, total, 1)
    return np.where(total > 0, ratio, np.nan)


def _invert(counts: Floats) -> Floats:
    return 1 / np.where(counts > 0, counts, np.nan)


def _halve(stack: Stack, lots: Floats) -> tuple[Floats, Floats]:
    """Sums and counts of both halves, each of shape (2, n_splits, n_tables × n_items).

    `lots`, shape (n_splits, n_tables, n_annotators), decide who is in the first half.
    """
    n_splits, _, n_annotators = lots.shape
    chosen = np.argsort(lots, axis=2, kind="stable")[:, :, : n_annotators // 2]
    is_first = np.zeros(lots.shape)
    np.put_along_axis(is_first, chosen, 1.0, axis=2)
    members = np.stack([is_first, 1 - is_first])
    rated = ~np.isnan(stack.tables)
    sums = np.einsum("hsta,tai->hsti", members, np.where(rated, stack.tables, 0))
    if rated.all():
        counts = np.broadcast_to(members.sum(axis=3)[..., None], sums.shape)
    else:
        counts = np.einsum("hsta,tai->hsti", members, rated.astype(float))
    return sums.reshape(2, n_splits, -1), counts.reshape(2, n_splits, -1)
