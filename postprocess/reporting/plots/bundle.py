"""All plots of a run as files: each as SVG, PNG and the CSV of what it draws."""

import json
from collections.abc import Iterator
from typing import NamedTuple

import pandas as pd
from matplotlib.figure import Figure

from postprocess.formats.tabular import write_cell
from postprocess.pipeline import Dataset
from postprocess.reporting.figures import means
from postprocess.reporting.figures.drawing import render_png, render_svg
from postprocess.reporting.plots import collection, distances, evidence, forest
from postprocess.steps.rehearsal import STAMP, warn_of_scripts

INDEX = "plots/index.json"
OF_MEANS = ["group", "annotator", "n_ratings", "mean", "group_mean", "shift", "after"]


class Plot(NamedTuple):
    """A plot with its file name, title and caption, and the table that it draws."""

    name: str
    title: str
    caption: str
    figure: Figure
    table: pd.DataFrame


def render_plots(dataset: Dataset, per_day: pd.Series, n_wanted: int) -> dict[str, bytes]:
    """Render the plots of a dataset.

    Parameters
    ----------
    dataset : Dataset
        The result of `build_dataset`.
    per_day : Series of int, index of dates
        The number of ratings of finished questionnaires on each day with any.
    n_wanted : int
        How many ratings the study asks for.

    Returns
    -------
    dict
        Relative path → content: plots/<name>.svg, .png and .csv, and plots/index.json with
        name, title and caption of each.
    """
    stamp = f"{STAMP}: " if warn_of_scripts(dataset.report["counts"]) else ""
    files, index = {}, []
    for plot in _draw(dataset, per_day, n_wanted):
        title = stamp + plot.title
        path = f"plots/{plot.name}"
        files[f"{path}.svg"] = render_svg(plot.figure, title=title, description=plot.caption)
        files[f"{path}.png"] = render_png(plot.figure)
        files[f"{path}.csv"] = _write_csv(plot.table)
        index.append({"name": plot.name, "title": title, "caption": plot.caption})
    files[INDEX] = json.dumps(index, ensure_ascii=False, indent=1).encode()
    return files


def _write_csv(table: pd.DataFrame) -> bytes:
    """Return a table as CSV; texts that a spreadsheet would take for a formula are escaped."""
    texts = table.select_dtypes(include=["object", "string"]).columns
    safe = table.assign(**{name: table[name].map(write_cell) for name in texts})
    return bytes(safe.to_csv(index=False, lineterminator="\n").encode())


def _draw(dataset: Dataset, per_day: pd.Series, n_wanted: int) -> Iterator[Plot]:
    outcome, target = dataset.outcome, dataset.outcome.recipe.rescaling
    table = evidence.tabulate_evidence(dataset)
    yield Plot(
        "change-against-p", evidence.TITLE, evidence.caption_evidence(table),
        evidence.draw_evidence(table), table,
    )  # fmt: skip
    table = means.with_means(outcome)
    yield Plot(
        "calibration", means.TITLE, means.caption_means(outcome), means.draw_means(outcome),
        table[[name for name in OF_MEANS if name in table]],
    )  # fmt: skip
    table = distances.tabulate_distances(dataset)
    yield Plot(
        "score-against-distance", distances.TITLE, distances.caption_distances(table),
        distances.draw_distances(table, target.minimum, target.maximum), table,
    )  # fmt: skip
    table = collection.tabulate_collection(per_day)
    yield Plot(
        "coverage-over-time", collection.TITLE, collection.caption_collection(table, n_wanted),
        collection.draw_collection(table, n_wanted), table,
    )  # fmt: skip
    table = forest.tabulate_forest(dataset)
    yield Plot(
        "agreement", forest.TITLE, forest.caption_forest(table), forest.draw_forest(table), table
    )
