"""Random halves of the annotators of each group, and the two means of every item."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array

from postprocess.statistics.agreement.group_arrays import MOST_NUMBERS, Stack, of_slice
from postprocess.statistics.agreement.weighted import Columns, correlate_weighted
from postprocess.statistics.correlations import DECIMALS, Method, correlate, mean_defined, ratio
from postprocess.statistics.resampling import N_PARTS, Division, blank_out
from postprocess.types import Floats, Integers

RESAMPLED_SPLITS = 20  # bootstrap figures are means over this many first splits


class Halves(NamedTuple):
    """The ratings of each item by each half of the annotators, in some splits.

    `sums` and `counts`, shape (2, n_splits, n_items): of the ratings by the first half and by
    the second. Items are in the order of stacks, tables, and items within tables.
    """

    sums: Floats
    counts: Floats


class SplitMeans(NamedTuple):
    """Two independent estimates for each item, by the two halves, in some splits.

    `first` and `second`, shape (n_splits, n_items), NaN if a half has no rating; `step`, shape
    (n_splits,): the ratio of the noise in the mean of a half to that in the mean of all, which
    is 2 for even numbers of annotators without gaps.
    """

    first: Floats
    second: Floats
    step: Floats

    def of_items(self, items: Integers) -> "SplitMeans":
        """Return the means of some items."""
        return SplitMeans(self.first[:, items], self.second[:, items], self.step)


Measure = Callable[[Iterator[Halves]], Iterator[SplitMeans]]


def split_halves(
    stacks: Sequence[Stack],
    n_splits: int,
    rng: np.random.Generator,
    annotators: Integers | None = None,
) -> Iterator[Halves]:
    """Split the annotators of each group into random halves, repeatedly.

    In each split every annotator gets a random number; those with the lower numbers in a group are
    its first half. So an annotator of two groups, or of both contexts of a pair, is mostly in the
    same half of both. For an odd number of annotators the second half has one more. `annotators`
    are the numbers of all who get a random number, ascending; by default those in the stacks.

    Yields some splits at a time: arrays of at most MOST_NUMBERS numbers, or one split; the splits
    do not depend on how many are computed together. Raises ValueError if `n_splits` is below 1.
    """
    if n_splits < 1:
        raise ValueError(f"n_splits must be 1 or more, got {n_splits}")
    numbers = list_annotators(stacks) if annotators is None else annotators
    positions = [np.searchsorted(numbers, stack.annotators) for stack in stacks]
    n_items = sum(stack.items.size for stack in stacks)
    n_together = max(1, MOST_NUMBERS // max(n_items, len(numbers)))
    for first in range(0, n_splits, n_together):
        lots = rng.random((min(n_together, n_splits - first), len(numbers)))
        parts = [_halve(stack, lots[:, at]) for stack, at in zip(stacks, positions, strict=True)]
        yield Halves(
            sums=np.concatenate([sums for sums, _ in parts], axis=2),
            counts=np.concatenate([counts for _, counts in parts], axis=2),
        )


def list_annotators(stacks: Sequence[Stack]) -> Integers:
    """Return the numbers of the annotators, ascending."""
    return np.unique(np.concatenate([stack.annotators.ravel() for stack in stacks]))


def item_means(halves: Halves) -> SplitMeans:
    """Return the mean of each item in each half, rounded so that equal means are ties."""
    noise = ratio(1, halves.counts)
    first, second = (halves.sums * noise).round(DECIMALS)
    return SplitMeans(first, second, step_of(noise, ratio(1, halves.counts.sum(axis=0))))


def means_of_halves(splits: Iterator[Halves]) -> Iterator[SplitMeans]:
    """Yield the `item_means` of all splits."""
    return map(item_means, splits)


def halves_of_contexts(splits: Iterable[Halves], contexts: Integers) -> Iterator[Halves]:
    """Yield the halves of both contexts of each pair, all groups that rated them together.

    `contexts`, shape (n_items,), are those of the halves' items: 2 × the number of the pair, from
    0, + 1 for context 2. Yields sums and counts of shape (2, n_splits, n_pairs, 2).
    """
    shape = 2 * (int(contexts.max()) // 2 + 1), len(contexts)
    places = contexts, np.arange(len(contexts))
    belongs = csr_array((np.ones(len(contexts)), places), shape=shape)
    for halves in splits:
        sums, counts = (_add_up(field, belongs) for field in halves)
        yield Halves(sums, counts)


def change_means(halves: Halves) -> SplitMeans:
    """Return the change of each pair in each half, from halves of `halves_of_contexts`."""
    sums, counts = halves
    means, noise = ratio(sums, counts), ratio(1, counts).sum(axis=-1)
    first, second = (means[..., 1] - means[..., 0]).round(DECIMALS)
    return SplitMeans(first, second, step_of(noise, (1 / counts.sum(axis=0)).sum(axis=-1)))


def step_of(noise_of_half: Floats, noise_of_whole: Floats) -> Floats:
    """Return the halves' noise relative to the whole's, over the items that all annotators share.

    `noise_of_half`, shape (2, n_splits, n_items), and `noise_of_whole`, shape (n_splits,
    n_items), are one over the number of ratings; NaN for none. Returns shape (n_splits,).
    """
    of_half = noise_of_half.mean(axis=0)
    both = ~np.isnan(of_half)
    halves, wholes = (np.where(both, noise, 0).sum(axis=1) for noise in (of_half, noise_of_whole))
    return ratio(halves, wholes)


def spearman_brown(correlation: Floats, step: float | Floats = 2.0) -> Floats:
    """Step the correlation of estimates from one part of the ratings each up to all `step` parts.

    step · r / (1 + (step - 1) · r). For a negative r the same of its absolute value, with the sign
    restored: the plain formula goes to minus infinity, and a reliability below 0 only means that
    there is none.

    References
    ----------
    Spearman (1910), Correlation calculated from faulty data; Brown (1910), Some experimental
    results in the correlation of mental abilities.

    Examples
    --------
    >>> spearman_brown(np.array([0.5, -0.5])).round(3).tolist()
    [0.667, -0.667]
    """
    size = np.abs(correlation)
    return np.asarray(step * correlation / (1 + (step - 1) * size))


class HalfCorrelations(NamedTuple):
    """Correlations of the halves of many splits.

    `correlations` by method, and `steps`, both of shape (n_splits,); `kept`: the means of the
    first splits, for the bootstrap.
    """

    correlations: dict[Method, Floats]
    steps: Floats
    kept: SplitMeans

    def mean_reliability(self, method: Method) -> float:
        """Return the mean over splits of the reliability that the correlations give."""
        return float(mean_defined(spearman_brown(self.correlations[method], self.steps)))


def correlate_halves(splits: Iterable[SplitMeans], methods: Sequence[Method]) -> HalfCorrelations:
    """Correlate the halves of every split by each method, in one pass over the splits."""
    kept: list[SplitMeans] = []
    correlations: dict[Method, list[Floats]] = {method: [] for method in methods}
    steps: list[Floats] = []
    for means in splits:
        for method, parts in correlations.items():
            parts.append(correlate(means.first, means.second, method=method))
        if sum(len(part) for part in steps) < RESAMPLED_SPLITS:
            kept.append(means)
        steps.append(means.step)
    return HalfCorrelations(
        correlations={method: np.concatenate(parts) for method, parts in correlations.items()},
        steps=np.concatenate(steps),
        kept=SplitMeans(
            first=np.concatenate([means.first for means in kept])[:RESAMPLED_SPLITS],
            second=np.concatenate([means.second for means in kept])[:RESAMPLED_SPLITS],
            step=np.concatenate([means.step for means in kept])[:RESAMPLED_SPLITS],
        ),
    )


def reliability_of_drawn(
    means: SplitMeans, weights: Floats, methods: Sequence[Method]
) -> dict[Method, Floats]:
    """Return the mean reliability over splits in each resample, by method.

    `weights`, shape (n_items, n_resamples): how often each item was drawn. Returns arrays of shape
    (n_resamples,).
    """
    correlations = correlate_weighted(Columns.of(means.first, means.second), weights, methods)
    step = means.step[:, None]
    return {m: mean_defined(spearman_brown(rho, step), axis=0) for m, rho in correlations.items()}


def reliability_of_all(means: SplitMeans, method: Method) -> float:
    """Return the mean reliability over splits of all items."""
    rho = correlate(means.first, means.second, method=method)
    return float(mean_defined(spearman_brown(rho, means.step)))


def reliabilities_left_out(
    stacks: Sequence[Stack], division: Division, measure: Measure, methods: Sequence[Method]
) -> dict[Method, Floats]:
    """Return the mean reliability over the first splits without each part of the annotators.

    The splits use the same random numbers for each part, so that the differences are due to
    the annotators. Returns arrays of shape (N_PARTS,) by method.
    """
    reliabilities: dict[Method, list[float]] = {method: [] for method in methods}
    for part in range(N_PARTS):
        rng = np.random.default_rng(0)
        splits = split_halves(blank_out(stacks, division, part), RESAMPLED_SPLITS, rng)
        halves = correlate_halves(measure(splits), methods)
        for method, figures in reliabilities.items():
            figures.append(halves.mean_reliability(method))
    return {method: np.array(figures) for method, figures in reliabilities.items()}


def mean_reliabilities(stacks: Sequence[Stack], n_slices: int) -> Floats:
    """Return the mean reliability of the scores of each slice over the first splits, by Pearson.

    Annotators get the same random numbers in each slice, so that the differences of slices that
    lack some of them are due to these. NaN for a slice without ratings.
    """
    reliabilities, annotators = np.full(n_slices, np.nan), list_annotators(stacks)
    for number in range(n_slices):
        if part := of_slice(stacks, number):
            rng = np.random.default_rng(0)
            splits = split_halves(part, RESAMPLED_SPLITS, rng, annotators)
            halves = correlate_halves(means_of_halves(splits), ["pearson"])
            reliabilities[number] = halves.mean_reliability("pearson")
    return reliabilities


def _add_up(numbers: Floats, belongs: csr_array) -> Floats:
    """Sum items of shape (2, n_splits, n_items) by context: shape (2, n_splits, n_pairs, 2)."""
    halves, n_splits, n_items = numbers.shape
    added = belongs @ numbers.reshape(halves * n_splits, n_items).T
    return np.asarray(added.T).reshape(halves, n_splits, -1, 2)


def _halve(stack: Stack, lots: Floats) -> tuple[Floats, Floats]:
    """Return sums and counts of both halves, each of shape (2, n_splits, n_tables × n_items).

    `lots`, shape (n_splits, n_tables, n_annotators), determine the first half.
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
