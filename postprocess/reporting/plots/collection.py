"""The number of ratings over the days of the collection."""

from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.dates import AutoDateLocator, ConciseDateFormatter
from matplotlib.figure import Figure

from postprocess.reporting.figures.drawing import (
    REFERENCE_LINE,
    SOFT,
    STRONG,
    count_along,
    in_style,
    new_figure,
    write_instead,
)
from postprocess.reporting.phrases import write_count, write_share

TITLE = "Coverage over time"


def tabulate_collection(per_day: pd.Series) -> pd.DataFrame:
    """Return a row for each day from the first to the last: day, n_ratings, n_so_far.

    `per_day` has the number of ratings of each day (the index, dates) with any.
    """
    if per_day.empty:
        return pd.DataFrame({"day": [], "n_ratings": [], "n_so_far": []})
    by_date = per_day.copy()
    by_date.index = pd.to_datetime(by_date.index)
    days = pd.date_range(by_date.index.min(), by_date.index.max(), freq="D")
    counts = by_date.groupby(level=0).sum().reindex(days, fill_value=0)
    table = {"day": days, "n_ratings": counts.to_numpy(), "n_so_far": counts.cumsum().to_numpy()}
    return pd.DataFrame(table)


@in_style
def draw_collection(table: pd.DataFrame, n_wanted: int) -> Figure:
    """Draw the number of ratings at the end of each day, and the number wanted."""
    figure = new_figure()
    axes = figure.subplots()
    axes.set_ylabel("ratings so far")
    if table.empty:
        write_instead(axes, "There are no ratings.")
        axes.set_xticks([])
        return figure
    ends = table["day"] + pd.Timedelta(days=1)
    start = table["day"].iloc[:1]
    x = pd.concat([start, ends], ignore_index=True).to_numpy()
    y = [0, *table["n_so_far"]]
    axes.fill_between(x, y, color=SOFT, linewidth=0)
    axes.plot(x, y, color=STRONG, linewidth=1.4)
    axes.axhline(n_wanted, **REFERENCE_LINE)
    axes.set_xlim(x[0], x[-1])
    axes.set_ylim(0, 1.08 * max(n_wanted, y[-1]))
    count_along(axes.yaxis)
    _date_along(axes)
    return figure


def _date_along(axes: Axes) -> None:
    locator: Any = AutoDateLocator(minticks=2, maxticks=6)  # type: ignore[no-untyped-call]
    axes.xaxis.set_major_locator(locator)
    axes.xaxis.set_major_formatter(ConciseDateFormatter(locator))  # type: ignore[no-untyped-call]


def caption_collection(table: pd.DataFrame, n_wanted: int) -> str:
    """Return the caption of the plot, with its numbers."""
    n = int(table["n_so_far"].iloc[-1]) if len(table) else 0
    return (
        "The ratings of finished questionnaires at each day’s end (UTC), before any recipe step: "
        f"{write_count(n)} of the {write_count(n_wanted)} wanted "
        f"({write_share(n, n_wanted)}; dashed), on {write_count(len(table), 'day')} from the first "
        "to the last."
    )
