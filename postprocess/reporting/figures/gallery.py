"""The figures of a dataset, in the order of the report."""

from collections.abc import Iterable
from typing import NamedTuple

import pandas as pd
from matplotlib.figure import Figure

from postprocess.reporting.figures import changes, correlations, coverage, means, pvalues, scores
from postprocess.reporting.figures.drawing import render_png, render_svg
from postprocess.steps.post_process import Outcome


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
    """Draw every figure of an outcome.

    Parameters
    ----------
    outcome : Outcome
        The result of `post_process`.
    parts_of_speech : Series of str, optional
        Index pair. Changes are shown for each of them.
    """
    return [
        Illustration(
            "ratings-per-context",
            coverage.TITLE,
            coverage.caption_coverage(outcome),
            coverage.draw_coverage(outcome),
        ),
        Illustration(
            "annotator-means",
            means.TITLE,
            means.caption_means(outcome),
            means.draw_means(outcome),
        ),
        Illustration(
            "annotator-correlations",
            correlations.TITLE,
            correlations.caption_correlations(outcome),
            correlations.draw_correlations(outcome),
        ),
        Illustration(
            "scores",
            scores.TITLE,
            scores.caption_scores(outcome),
            scores.draw_scores(outcome),
        ),
        Illustration(
            "changes",
            changes.TITLE,
            changes.caption_changes(outcome, parts_of_speech),
            changes.draw_changes(outcome, parts_of_speech),
        ),
        Illustration(
            "p-values",
            pvalues.TITLE,
            pvalues.caption_pvalues(outcome),
            pvalues.draw_pvalues(outcome),
        ),
    ]


def render_plates(gallery: Iterable[Illustration]) -> dict[str, Plate]:
    """Render figures as SVG and PNG; return name → figure, in the order of the gallery."""
    return {
        one.name: Plate(
            one.name,
            one.title,
            one.caption,
            render_svg(one.figure, title=one.title, description=one.caption),
            render_png(one.figure),
        )
        for one in gallery
    }
