"""Positions of annotators along an axis, ordered by group, for ten or for five hundred."""

import re
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from postprocess.reporting.figures.drawing import INK, MAX_POINTS, RULE, WIDTH
from postprocess.reporting.phrases import write_count
from postprocess.types import Bools, Floats

MAX_NAMED = 10  # groups with names under the axis
MAX_NAMES_LENGTH = 44  # characters of all names together
MAX_MARK, MIN_MARK = 5.0, 2.2  # points
MIN_NOTED = 3.8  # points; of few marks that must be seen


class Lineup(NamedTuple):
    """The positions of annotators along an axis.

    `place`: the position of each row of the table. `groups`: a row for each group in order, with
    group, left and right (the ends of its interval).
    """

    place: Floats
    groups: pd.DataFrame

    @property
    def mark_size(self) -> float:
        """The size of marks that hardly overlap, in points."""
        points_each = 0.8 * WIDTH * 72 / (np.ptp(self.place) + 1)
        return float(np.clip(1.2 * points_each, MIN_MARK, MAX_MARK))

    @property
    def is_crowded(self) -> bool:
        """Return whether the marks are too many for vectors and must be rasterised."""
        return len(self.place) > MAX_POINTS

    @property
    def noted_size(self) -> float:
        """The size of marks of shifted, excluded or undefined annotators, in points."""
        return max(self.mark_size, MIN_NOTED)


def line_up(annotators: pd.DataFrame, by: str) -> Lineup:
    """Order annotators by group and the figure in column `by`; those without it come first."""
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
    """Label the groups under the axis with their names or, if there are many, their number."""
    groups = lineup.groups
    margin = 0.02 * (groups["right"].max() - groups["left"].min())
    axes.set_xlim(groups["left"].min() - margin, groups["right"].max() + margin)
    axes.tick_params(axis="x", length=0)
    label = f"{write_count(n_annotators, 'annotator')} by group"
    if len(groups) <= MAX_NAMED and groups["group"].str.len().sum() <= MAX_NAMES_LENGTH:
        middles = (groups["left"] + groups["right"]) / 2
        axes.set_xticks(middles.to_list(), groups["group"].to_list())
        axes.set_xlabel(label)
    else:
        axes.set_xticks([])
        axes.set_xlabel(f"{label} ({len(groups):,} groups)")
    if 1 < len(groups) <= MAX_NAMED:
        edges = (groups["right"].to_numpy()[:-1] + groups["left"].to_numpy()[1:]) / 2
        for edge in edges:
            axes.axvline(edge, color=RULE, linewidth=0.6)


def draw_marks(
    axes: Axes, lineup: Lineup, figure: Floats, chosen: Bools, *, size: float, **style: Any
) -> None:
    """Draw a mark for each of the chosen annotators at the height of the figure."""
    place, height = lineup.place[chosen], figure[chosen]
    axes.plot(place, height, markersize=size, rasterized=lineup.is_crowded, **style)


def draw_levels(axes: Axes, lineup: Lineup, level: Floats, **style: Any) -> None:
    """Draw a horizontal line for each group; NaN for none."""
    options: dict[str, Any] = {"colors": INK, "linewidths": 1.0, **style}
    groups = lineup.groups
    axes.hlines(level, groups["left"], groups["right"], **options)


def count_annotators(annotators: pd.DataFrame) -> str:
    """Return the numbers of annotators and groups in words."""
    people, groups = annotators["annotator"].nunique(), annotators["group"].nunique()
    where = f"in {write_count(groups, 'group')}"
    if people == len(annotators):
        return f"{write_count(people, 'annotator')} {where}"
    return (
        f"{write_count(people, 'annotator')} {where} (in each of their groups, "
        f"{len(annotators):,} in all)"
    )


def _natural(name: str) -> list[str | int]:
    """Return a sort key that puts 10 after 9."""
    parts = re.split("([0-9]+)", name)
    return [int(part) if i % 2 else part for i, part in enumerate(parts)]
