"""All plots of a run: for its report, and as files, each with its data as CSV."""

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

import pandas as pd
from matplotlib.figure import Figure

from postprocess.formats.tabular import write_cell
from postprocess.naming import STAMP
from postprocess.pipeline import Dataset
from postprocess.reporting.figures import means
from postprocess.reporting.plots import collection, distances, evidence, forest
from postprocess.reporting.report import describe_gaps
from postprocess.steps.rehearsal import warn_of_scripts

INDEX = "plots/index.json"
FIGURES = {"calibration": "annotator-means"}  # plot → figure of the report with another name
OF_MEANS = ["group", "annotator", "n_ratings", "mean", "group_mean", "shift", "after"]


class Plot(NamedTuple):
    """A plot with its file name, title and caption, and the table that it draws."""

    name: str
    title: str
    caption: str
    figure: Figure
    table: pd.DataFrame


def draw_plots(dataset: Dataset, per_day: pd.Series | None = None, n_wanted: int = 0) -> list[Plot]:
    """Draw the plots of a dataset.

    Parameters
    ----------
    dataset : Dataset
        The result of `build_dataset`.
    per_day : Series of int, index of dates, optional
        The number of ratings of finished questionnaires on each day with any; without it there is
        no plot of the coverage.
    n_wanted : int
        How many ratings the study asks for.

    Returns
    -------
    list of Plot
        In the order of the console.
    """
    return list(_draw(dataset, per_day, n_wanted))


def write_plots(
    dataset: Dataset, plots: Iterable[Plot], reports: Mapping[str, bytes]
) -> dict[str, bytes]:
    """Return the files of the plots of a dataset.

    Parameters
    ----------
    dataset : Dataset
        The result of `build_dataset`.
    plots : iterable of Plot
        The result of `draw_plots`.
    reports : mapping
        The result of `render_reports` with these plots, which has their images.

    Returns
    -------
    dict
        Relative path → content: plots/<name>.svg, .png and .csv, and plots/index.json with
        name, title and caption of each.
    """
    stamp = f"{STAMP}: " if warn_of_scripts(dataset.report["counts"]) else ""
    files, index = {}, []
    for plot in plots:
        figure = FIGURES.get(plot.name, plot.name)
        for form in ("svg", "png"):
            files[f"plots/{plot.name}.{form}"] = reports[f"figures/{figure}.{form}"]
        files[f"plots/{plot.name}.csv"] = write_csv(plot.table)
        index.append({"name": plot.name, "title": stamp + plot.title, "caption": plot.caption})
    files[INDEX] = json.dumps(index, ensure_ascii=False, indent=1).encode()
    return files


def write_csv(table: pd.DataFrame) -> bytes:
    """Return a table as CSV; texts that a spreadsheet would take for a formula are escaped."""
    texts = table.select_dtypes(include=["object", "string"]).columns
    safe = table.assign(**{name: table[name].map(write_cell) for name in texts})
    return bytes(safe.to_csv(index=False, lineterminator="\n").encode())


def _draw(dataset: Dataset, per_day: pd.Series | None, n_wanted: int) -> Iterator[Plot]:
    outcome, target = dataset.outcome, dataset.outcome.recipe.rescaling
    if not dataset.design:
        table = evidence.tabulate_evidence(dataset)
        gaps = describe_gaps(dataset.report["counts"])
        yield Plot(
            "change-against-p", evidence.TITLE,
            f"{evidence.caption_evidence(table)} {gaps}".rstrip(),
            evidence.draw_evidence(table), table,
        )  # fmt: skip
    table = means.with_means(outcome)
    yield Plot(
        "calibration", means.TITLE, means.caption_means(outcome), means.draw_means(outcome),
        table[[name for name in OF_MEANS if name in table]],
    )  # fmt: skip
    if not dataset.design:
        table = distances.tabulate_distances(dataset)
        yield Plot(
            "score-against-distance", distances.TITLE, distances.caption_distances(table),
            distances.draw_distances(table, target.minimum, target.maximum), table,
        )  # fmt: skip
    if per_day is not None:
        table = collection.tabulate_collection(per_day)
        yield Plot(
            "coverage-over-time", collection.TITLE, collection.caption_collection(table, n_wanted),
            collection.draw_collection(table, n_wanted), table,
        )  # fmt: skip
    table = forest.tabulate_forest(dataset)
    yield Plot(
        "agreement", forest.TITLE, forest.caption_forest(table), forest.draw_forest(table), table
    )
