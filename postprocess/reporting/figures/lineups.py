"""Annotators side by side: a place for each, group by group, for ten people or five hundred."""

import re
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from postprocess.reporting.figures.drawing import INK, MOST_POINTS, RULE, WIDTH, Bools, Floats
from postprocess.reporting.phrases import write_count

MOST_NAMED = 10  # groups whose names stand under the axis
LONGEST_NAMES = 44  # characters, of all names together
LARGEST_MARK, SMALLEST_MARK = 5.0, 2.2  # points
LEAST_NOTED = 3.8  # points; of marks that are few and must be seen


class Lineup(NamedTuple):
    """Where each annotator stands.

    `place`: of each row of the table, along the axis. `groups`: a row for each group in its
    order, with group, left and right (the ends of its stretch).
    """

    place: Floats
    groups: pd.DataFrame

    @property
    def mark_size(self) -> float:
        """The size of marks that hardly hide their neighbours, in points."""
        points_each = 0.8 * WIDTH * 72 / (np.ptp(self.place) + 1)
        return float(np.clip(1.2 * points_each, SMALLEST_MARK, LARGEST_MARK))

    @property
    def is_crowded(self) -> bool:
        """Whether marks are so many that they are drawn as pixels."""
        return len(self.place) > MOST_POINTS

    @property
    def noted_size(self) -> float:
        """The size of marks of the few that something was done to, in points."""
        return max(self.mark_size, LEAST_NOTED)


def line_up(annotators: pd.DataFrame, by: str) -> Lineup:
    """Put annotators in the order of their group and a figure, those without the figure first.

    Parameters
    ----------
    annotators : DataFrame, shape (n_sittings, 3 or more)
        Columns group, annotator and the figure.
    by : str
        Column of the figure.
    """
    names = sorted(annotators["group"].unique(), key=_natural)
    number = annotators["group"].map({name: i for i, name in enumerate(names)}).to_numpy()
    figure = annotators[by].fillna(-np.inf).to_numpy(dtype=float)
    order = np.lexsort((annotators["annotator"].to_numpy(dtype=str), figure, number))
    gap = min(max(1.0, len(annotators) / 60), 0.4 * len(annotators) / len(names))
    place = np.empty(len(annotators))
    place[order] = np.arange(len(annotators)) + gap * number[order]
    stretch = pd.Series(place).groupby(number)
    groups = pd.DataFrame(
        {"group": names, "left": stretch.min() - 0.5, "right": stretch.max() + 0.5}
    )
    return Lineup(place, groups)


def mark_groups(axes: Axes, lineup: Lineup, n_annotators: int) -> None:
    """The groups under the axis: by their names, or by their number if they are many."""
    groups = lineup.groups
    margin = 0.02 * (groups["right"].max() - groups["left"].min())
    axes.set_xlim(groups["left"].min() - margin, groups["right"].max() + margin)
    axes.tick_params(axis="x", length=0)
    who = write_count(n_annotators, "annotator")
    if len(groups) <= MOST_NAMED and groups["group"].str.len().sum() <= LONGEST_NAMES:
        middles = (groups["left"] + groups["right"]) / 2
        axes.set_xticks(middles.to_list(), groups["group"].to_list())
        axes.set_xlabel(f"{who} by group")
    else:
        axes.set_xticks([])
        axes.set_xlabel(f"{who} by group ({len(groups):,} groups)")
    if 1 < len(groups) <= MOST_NAMED:
        edges = (groups["right"].to_numpy()[:-1] + groups["left"].to_numpy()[1:]) / 2
        for edge in edges:
            axes.axvline(edge, color=RULE, linewidth=0.6)


def draw_marks(
    axes: Axes, lineup: Lineup, figure: Floats, chosen: Bools, *, size: float, **style: Any
) -> None:
    """A mark for each of the chosen annotators, at the height of their figure."""
    place, height = lineup.place[chosen], figure[chosen]
    axes.plot(place, height, markersize=size, rasterized=lineup.is_crowded, **style)


def draw_levels(axes: Axes, lineup: Lineup, level: Floats, **style: Any) -> None:
    """A level for each group, across its stretch; NaN for none."""
    options: dict[str, Any] = {"colors": INK, "linewidths": 1.0, **style}
    groups = lineup.groups
    axes.hlines(level, groups["left"], groups["right"], **options)


def count_sittings(annotators: pd.DataFrame) -> str:
    """How many annotators in how many groups, in words."""
    people, groups = annotators["annotator"].nunique(), annotators["group"].nunique()
    where = f"in {write_count(groups, 'group')}"
    if people == len(annotators):
        return f"{write_count(people, 'annotator')} {where}"
    return (
        f"{write_count(people, 'annotator')} {where} (each in each of their groups, "
        f"{len(annotators):,} in all)"
    )


def _natural(name: str) -> list[str | int]:
    """A key that puts 10 after 9."""
    parts = re.split("([0-9]+)", name)
    return [int(part) if i % 2 else part for i, part in enumerate(parts)]
