"""The files of the comparison of a published data set with its replication."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from postprocess.naming import STAMP
from postprocess.reporting.figures.drawing import REFERENCE_LINE, draw_points, in_style, new_figure
from postprocess.reporting.figures.gallery import Illustration, render_plates
from postprocess.reporting.page import make_environment, show_plate
from postprocess.reporting.phrases import shorten, write_count, write_figure, write_signed
from postprocess.reporting.plots.plot_files import Plot
from postprocess.reporting.tables import MAX_ROWS, Table
from postprocess.reporting.two_collections.comparison_files import render_plot_files
from postprocess.two_collections.items import AGREEMENT, FAR, ItemComparison, list_figures
from postprocess.version import __version__

SIDES = ("first", "second")
SCORES = ("score_first", "score_second")
TITLES = {
    "score_first": "first", "score_second": "second", "pairwise_pearson": "pairwise",
    "split_half": "split-half",
}  # fmt: skip
NUMBERS = ("n", "pearson", "spearman", "difference", "accuracy", "kappa", *SCORES, "error")


def summarise(report: Mapping[str, Any]) -> dict[str, str]:
    """Return the figures of a comparison's report as text, by title.

    >>> summarise({"n": 3, "pearson": 0.5, "difference": -1.0, "n_far": 1})
    {'items compared': '3', 'pearson': '0.500', 'mean difference': '−1.00', 'far apart': '1 item'}
    """
    figures = {"items compared": write_count(report["n"]), **list_figures(report)}
    if "difference" in report:
        figures["mean difference"] = write_signed(write_figure(report["difference"]))
    if report.get("n_far") is not None:
        figures["far apart"] = write_count(report["n_far"], "item")
    return figures


def render_items(comparison: ItemComparison, *, is_rehearsal: bool = False) -> dict[str, bytes]:
    """Render all files: those of `render`, comparison.html and, for scores, the plot of both.

    If scripts rated, titles and names have a stamp, such as comparison_REHEARSAL.html.
    """
    stamp, ending = (f"{STAMP}: ", f"_{STAMP}") if is_rehearsal else ("", "")
    report = comparison.report
    plots = [_plot(comparison, f"scores{ending}")] if "difference" in report else []
    plates = render_plates([Illustration(*plot[:4]) for plot in plots], stamp)
    rows = [{"collection": report[side]["name"], **(report[side]["agreement"] or {})}
            for side in SIDES]  # fmt: skip
    agreement = pd.DataFrame(rows).reindex(columns=["collection", *AGREEMENT])
    pos = comparison.parts_of_speech
    page = make_environment().get_template("items.html.jinja").render(
        report=report,
        stamp=stamp,
        version=__version__,
        key=summarise(report),
        figure=next((show_plate(1, plate) for plate in plates.values()), None),
        agreement=_write(agreement.astype(dict.fromkeys(AGREEMENT, float)),
                         "Agreement of annotators", "agreement"),
        pos=_write(pos, "By part of speech", "scores") if len(pos) else None,
        far=_write(list_far(comparison.items), "Items that differ", "far"),
        n_errors=FAR,
    )  # fmt: skip
    named = {"comparison.html": page.encode(), **comparison.render()}
    files = {name.replace(".", f"{ending}.", 1): content for name, content in named.items()}
    return files | render_plot_files(plots, plates, stamp) if plots else files


def list_far(items: pd.DataFrame) -> pd.DataFrame:
    """Return the items that are far apart or, without standard errors, that differ at all."""
    apart = items["difference"].abs().sort_values(ascending=False, kind="stable")
    far = items.loc[apart[apart > 0].index]
    far = far[far["is_far"] == "yes"] if "is_far" in items else far
    return far.drop(columns="is_far", errors="ignore")


def _write(table: pd.DataFrame, caption: str, method: str) -> Table:
    def write(cell: object) -> str:
        if isinstance(cell, float):
            return write_figure(cell)
        return cell if isinstance(cell, str) else write_count(int(str(cell)))

    columns = tuple(
        f"#{TITLES.get(name, name)}" if name in (*NUMBERS, *AGREEMENT) else str(name)
        for name in table
    )
    n_more = len(table) - MAX_ROWS
    rest = f"{write_count(n_more, 'row')} in items.tsv" if n_more > 0 else ""
    return Table(
        caption, columns, table.head(MAX_ROWS).map(write).to_numpy().tolist(), method, rest
    )


@in_style
def _draw(comparison: ItemComparison) -> Figure:
    """Draw the second scores against the first, and the line on which they are equal."""
    figure = new_figure(3.6)
    axes = figure.subplots()
    x, y = (comparison.items[name].to_numpy(dtype=float) for name in SCORES)
    low, high = float(np.min([x, y])), float(np.max([x, y]))
    axes.plot((low, high), (low, high), **REFERENCE_LINE)
    draw_points(axes, x, y, (low, high, low, high))
    for side, name in zip(SIDES, ("x", "y"), strict=True):
        axes.set(**{f"{name}label": shorten(comparison.report[side]["name"], 30)})
    return figure


def _plot(comparison: ItemComparison, name: str) -> Plot:
    report = comparison.report
    first, second = (report[side]["name"] for side in SIDES)
    caption = (
        f"The scores of {write_count(report['n'], 'item')}: in {second}, against those in {first}. "
        "Dashed: equal scores."
    )
    return Plot(name, "Scores in both", caption, _draw(comparison), comparison.items)
