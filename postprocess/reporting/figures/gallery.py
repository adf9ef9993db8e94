"""The figures of a dataset, in the order of the report."""

from collections.abc import Callable, Iterable
from functools import partial
from typing import NamedTuple

import pandas as pd
from matplotlib.figure import Figure

from postprocess.reporting.figures import changes, correlations, coverage, means, pvalues, scores
from postprocess.reporting.figures.drawing import render_png, render_svg
from postprocess.reporting.report import describe_gaps, report_gaps
from postprocess.steps.post_process import Outcome

Drawn = tuple[str, Callable[[Outcome], str], Callable[[Outcome], Figure]]  # title, caption, figure

OF_PAIRS = ("scores", "changes", "p-values")


class Illustration(NamedTuple):
    """A figure with its file name, title and caption."""

    name: str
    title: str
    caption: str
    figure: Figure


class Plate(NamedTuple):
    """A figure rendered as SVG and PNG, with its file name, title and caption."""

    name: str
    title: str
    caption: str
    svg: bytes
    png: bytes


def illustrate(outcome: Outcome, parts_of_speech: pd.Series | None = None) -> list[Illustration]:
    """Draw every figure of an outcome; changes for each part of speech, if known (index pair)."""
    figures: dict[str, Drawn] = {
        "ratings-per-context": (
            f"Ratings per {outcome.unit}",
            coverage.caption_coverage,
            coverage.draw_coverage,
        ),
        "annotator-means": (means.TITLE, means.caption_means, means.draw_means),
        "annotator-correlations": (
            correlations.TITLE,
            correlations.caption_correlations,
            correlations.draw_correlations,
        ),
        "scores": (scores.TITLE, scores.caption_scores, scores.draw_scores),
        "changes": (
            changes.TITLE,
            partial(changes.caption_changes, parts_of_speech=parts_of_speech),
            partial(changes.draw_changes, parts_of_speech=parts_of_speech),
        ),
        "p-values": (pvalues.TITLE, pvalues.caption_pvalues, pvalues.draw_pvalues),
    }
    if outcome.n_contexts == 1:
        del figures["changes"], figures["p-values"]
    gaps = f" {describe_gaps(report_gaps(outcome))}".rstrip()
    return [
        Illustration(name, title, caption(outcome) + gaps * (name in OF_PAIRS), draw(outcome))
        for name, (title, caption, draw) in figures.items()
    ]


def render_plates(gallery: Iterable[Illustration], stamp: str = "") -> dict[str, Plate]:
    """Render figures as SVG and PNG; return name → figure, in the order of the gallery.

    `stamp`: prefix of the titles in the files, "" or that of a rehearsal. The figures are cleared,
    since each would keep its pixels.
    """
    plates = {}
    for shown in gallery:  # plots of the report are among them, which have further fields
        svg = render_svg(shown.figure, title=stamp + shown.title, description=shown.caption)
        png = render_png(shown.figure)
        plates[shown.name] = Plate(shown.name, shown.title, shown.caption, svg, png)
        shown.figure.clear()
    return plates
