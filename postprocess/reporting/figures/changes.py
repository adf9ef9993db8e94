"""The distribution of the changes, by part of speech if known."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from postprocess.reporting.figures.drawing import (
    DARK_BARS,
    INK,
    LIGHT_BARS,
    add_legend,
    count_along,
    in_style,
    new_figure,
)
from postprocess.reporting.phrases import (
    write_count,
    write_figure,
    write_list,
    write_points,
    write_share,
)
from postprocess.steps.post_process import Outcome

TITLE = "Change between the contexts"
SIGNIFICANT = 0.05
MAX_PARTS = 6  # rows of the figure; rarer parts of speech share the last one
UNKNOWN, OTHERS = "not given", "others"
N_BINS = 40
DECIMALS = 9


@in_style
def draw_changes(outcome: Outcome, parts_of_speech: pd.Series | None = None) -> Figure:
    """Draw histograms of the changes, a row for each part of speech; dark: q < 0.05."""
    parts = part_pairs(outcome.scores, parts_of_speech)
    figure = new_figure(2.8 if len(parts) == 1 else 1.1 + 0.95 * len(parts))
    rows = figure.subplots(len(parts), 1, sharex=True, squeeze=False)[:, 0]
    width = outcome.recipe.rescaling.maximum - outcome.recipe.rescaling.minimum
    largest = float(outcome.scores["change"].abs().max())
    bins = list(np.linspace(-width, width, N_BINS + 1))
    step = bins[1] - bins[0]
    reach = min(width, step * max(np.ceil(largest / step) + 1, 5))
    for axes, (name, scores) in zip(rows, parts.items(), strict=True):
        is_significant = scores["qvalue"] < SIGNIFICANT
        changes = scores["change"].round(DECIMALS)
        stacks = [changes[is_significant].to_numpy(), changes[~is_significant].to_numpy()]
        _draw_stacks(axes, stacks, bins)
        axes.axvline(0, color=INK, linewidth=0.8)
        axes.set_xlim(-reach, reach)
        count_along(axes.yaxis)
        axes.set_ylabel("pairs")
        if len(parts) > 1:
            axes.set_title(f"{name} ({len(scores)})", loc="right", y=0.72)
    rows[-1].set_xlabel("change: score in context 2 − score in context 1")
    is_marked = "note" in outcome.scores and outcome.scores["note"].any()
    dark = "q < 0.05 †" if is_marked else "q < 0.05"
    handles = [Patch(label=dark, **DARK_BARS), Patch(label="q ≥ 0.05", **LIGHT_BARS)]
    add_legend(rows[0], handles)
    return figure


def caption_changes(outcome: Outcome, parts_of_speech: pd.Series | None = None) -> str:
    """Return the caption of the figure, with its numbers."""
    scores = outcome.scores
    rescaling = outcome.recipe.rescaling
    step = 2 * (rescaling.maximum - rescaling.minimum) / N_BINS
    parts = part_pairs(scores, parts_of_speech)
    n_below = int((scores["qvalue"] < SIGNIFICANT).sum())
    by_part = ", a row for each part of speech" if len(parts) > 1 else ""
    text = (
        f"The changes of {write_count(len(scores), 'pair')} from context 1 to context 2, in points "
        f"of the published scale and bins of {write_points(step)}{by_part}. Dark: the "
        f"{write_count(n_below, 'pair')} ({write_share(n_below, len(scores))}) with q below 0.05, "
        "of which at most 5\u00a0% are expected not to change; hatched: all others. "
        "The numbers of the contexts are arbitrary, so the sign has no meaning; "
        f"the mean absolute change is {write_figure(scores['change'].abs().mean())}"
    )
    if len(parts) == 1:
        return f"{text}."
    each = [f"{name} {_describe(part)}" for name, part in parts.items()]
    return f"{text}: {write_list(each)}."


def part_pairs(scores: pd.DataFrame, parts_of_speech: pd.Series | None) -> dict[str, pd.DataFrame]:
    """Return the scores of each part of speech, most frequent first; {"": scores} if unknown.

    `parts_of_speech` has the index pair; missing and empty ones are not given.
    """
    if parts_of_speech is None:
        return {"": scores}
    names = parts_of_speech.reindex(scores.index).astype(object)
    names = names.where(names.notna(), "").map(str).str.strip()
    if not names.any():
        return {"": scores}
    counts = names[names != ""].value_counts()
    order = sorted(counts.index, key=lambda name: (-counts[name], name))
    if len(order) > MAX_PARTS:
        names = names.where(names.isin([*order[: MAX_PARTS - 1], ""]), OTHERS)
        order = [*order[: MAX_PARTS - 1], OTHERS]
    names = names.where(names != "", UNKNOWN)
    if (names == UNKNOWN).any():
        order.append(UNKNOWN)
    return {name: scores[names == name] for name in order}


def _draw_stacks(axes: Axes, stacks: Sequence[np.ndarray], bins: list[float]) -> None:
    below = np.zeros(len(bins) - 1)
    for changes, style in zip(stacks, (DARK_BARS, LIGHT_BARS), strict=True):
        counts = np.histogram(changes, bins=bins)[0].astype(float)
        filled = counts > 0
        left, width = np.array(bins[:-1]), np.diff(bins)
        axes.bar(left[filled], counts[filled], width[filled], below[filled], align="edge", **style)
        below += counts


def _describe(scores: pd.DataFrame) -> str:
    size = write_figure(scores["change"].abs().mean())
    return f"{size} ({write_count(len(scores), 'pair')})"
