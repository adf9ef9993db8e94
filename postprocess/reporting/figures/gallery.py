"""The figures of a dataset, in the order of the report."""

import hashlib
from collections import OrderedDict
from collections.abc import Callable, Iterable
from functools import partial
from typing import NamedTuple

import pandas as pd
from matplotlib.figure import Figure

from postprocess.reporting.figures import changes, correlations, coverage, means, pvalues, scores
from postprocess.reporting.figures.drawing import render_png, render_svg
from postprocess.steps.post_process import Outcome
from postprocess.types import Codes

Drawn = tuple[str, Callable[[Outcome], str], Callable[[Outcome], Figure]]  # title, caption, figure


MOST_KEPT = 12  # rendered figures: those of the last two datasets


class Illustration(NamedTuple):
    """A figure with its file name, title and caption.

    `shows`: a digest of all that the figure is drawn from, or "" for one to be rendered each time.
    """

    name: str
    title: str
    caption: str
    figure: Figure
    shows: str = ""


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
        "ratings-per-context": (coverage.TITLE, coverage.caption_coverage, coverage.draw_coverage),
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
    shown = {
        "ratings-per-context": digest_shown(outcome, coverage.count_given(outcome)),
        "scores": digest_shown(outcome),
        "changes": digest_shown(outcome, parts_of_speech),
        "p-values": digest_shown(outcome),
    }
    return [
        Illustration(name, title, caption(outcome), draw(outcome), shown.get(name, ""))
        for name, (title, caption, draw) in figures.items()
    ]


def digest_shown(outcome: Outcome, *further: pd.DataFrame | pd.Series | Codes | None) -> str:
    """Return a digest of the recipe and scores of an outcome, and of further tables."""
    digest = hashlib.sha256(outcome.recipe.digest().encode())
    for table in (outcome.scores, *further):
        known = pd.DataFrame(table)
        digest.update(f"{[*known.columns]} {len(known)}\n".encode())
        digest.update(pd.util.hash_pandas_object(known).to_numpy().tobytes())
    return digest.hexdigest()


def render_plates(gallery: Iterable[Illustration], stamp: str = "") -> dict[str, Plate]:
    """Render figures as SVG and PNG; return name → figure, in the order of the gallery.

    `stamp`: prefix of the titles in the files, "" or that of a rehearsal.
    """
    return {one.name: _render(one, stamp) for one in gallery}


_rendered: OrderedDict[tuple[str, ...], Plate] = OrderedDict()


def _render(one: Illustration, stamp: str) -> Plate:
    """Render a figure, or return it as it was rendered for another dataset with the same scores.

    A release is usually made of the ratings of the last results.
    """
    key = (stamp, one.name, one.title, one.caption, one.shows)
    plate = _rendered.get(key) if one.shows else None
    if plate is None:
        plate = Plate(
            one.name,
            one.title,
            one.caption,
            render_svg(one.figure, title=stamp + one.title, description=one.caption),
            render_png(one.figure),
        )
    if one.shows:
        _rendered[key] = plate
        while len(_rendered) > MOST_KEPT:
            _rendered.popitem(last=False)
    return plate
