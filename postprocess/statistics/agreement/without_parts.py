"""Figures without each part of the annotators, with the steps before them repeated."""

from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np
import pandas as pd

from postprocess.statistics.agreement.group_arrays import Stack, number_names, stack_groups
from postprocess.statistics.resampling import N_PARTS, divide_annotators
from postprocess.types import Floats, Integers

Process = Callable[[pd.DataFrame], pd.DataFrame]
Figure = Callable[[Sequence[Stack], int], Floats]


def process_without_parts(
    given: pd.DataFrame, process: Process, n_resamples: int, rng: np.random.Generator
) -> Iterator[pd.DataFrame]:
    """Divide annotators into parts, and process the ratings without each part.

    Parameters
    ----------
    given : DataFrame, shape (n_ratings, 5 or more)
        As `stack_groups` takes it, with a column group.
    process : callable
        Returns the processed ratings that are kept, with the same columns. It is called once for a
        division, with the ratings of each part as separate groups.
    n_resamples : int
        Decides the number of divisions, see `divide_annotators`.
    rng : Generator
        For the divisions.

    Yields
    ------
    DataFrame, shape (n_kept, 6 or more)
        For each division the processed ratings, and in the column "part" the part, from 0 to
        N_PARTS, exclusively, whose annotators were left out.
    """
    given = given[given["rating"].notna()]
    annotator, (group, names) = number_names(given["annotator"]), pd.factorize(given["group"])
    for division in divide_annotators(stack_groups(given), n_resamples, rng):
        part_of = division.parts[np.searchsorted(division.annotators, annotator)]
        without = [
            given.assign(group=group * N_PARTS + part)[part_of != part] for part in range(N_PARTS)
        ]
        processed = process(pd.concat(without, ignore_index=True))
        code, part = np.divmod(processed["group"].to_numpy(dtype=np.int64), N_PARTS)
        yield processed.assign(group=names.take(code), part=part)


def measure_without_parts(
    processed: Sequence[pd.DataFrame],
    slices: Sequence[Integers],
    n_slices: int,
    figures: Mapping[str, Figure],
) -> dict[str, Floats]:
    """Measure each figure of each slice without each part of the annotators.

    `processed` are the tables of `process_without_parts`; `slices` has, for each of them, the slice
    of every row, -1 for none. Returns arrays of shape (n_divisions, n_slices, N_PARTS).
    """
    of_figure: dict[str, list[Floats]] = {figure: [] for figure in figures}
    for ratings, of_row in zip(processed, slices, strict=True):
        cell = np.where(of_row < 0, -1, of_row * N_PARTS + ratings["part"].to_numpy())
        stacks = stack_groups(ratings, cell)
        for figure, measure in figures.items():
            of_parts = measure(stacks, n_slices * N_PARTS)
            of_figure[figure].append(of_parts.reshape(n_slices, N_PARTS))
    return {figure: np.stack(rows) for figure, rows in of_figure.items()}
