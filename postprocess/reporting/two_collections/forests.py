"""Estimates with their intervals on lines: agreement, and differences by kind of item."""

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from postprocess.reporting.figures.drawing import DOT, REFERENCE_LINE, STRONG, in_style, new_figure
from postprocess.reporting.phrases import shorten, write_count
from postprocess.reporting.two_collections.names import TRAITS, name_agreement
from postprocess.two_collections.comparing import CollectionComparison
from postprocess.two_collections.crossing import PAIRWISE

AGREEMENT_TITLE = "Agreement within and between the collections"
KINDS_TITLE = "Differences by kind of item"
ROW = 0.24  # inches
MOST_ROWS = 60  # the table of the report has all


@in_style
def draw_agreement(comparison: CollectionComparison) -> Figure:
    """Draw the mean correlations of annotators. For comparisons with ratings."""
    table = comparison.tables["agreement"]
    figure = _draw_rows(table, name_agreement(comparison))
    axes = figure.axes[0]
    n_pairwise = int((table["measure"] == PAIRWISE).sum())
    axes.axhline(n_pairwise - 0.5, color=STRONG, linewidth=0.6)
    axes.set_xlabel("mean Spearman’s ρ")
    lowest = np.nanmin([0.0, *table["estimate"], *table["low"]])
    axes.set_xlim(float(np.floor((lowest - 0.02) * 10) / 10) if lowest < 0 else -0.02, 1.02)
    return figure


def caption_agreement(comparison: CollectionComparison) -> str:
    """Return the caption of the plot, with its numbers."""
    first, second = comparison.sides
    n_undefined = int(comparison.tables["agreement"]["estimate"].isna().sum())
    undefined = (
        f" {write_count(n_undefined)} undefined: a collection of one annotator, or constant "
        "ratings."
        if n_undefined
        else ""
    )
    return (
        f"Above: the mean correlation of two annotators within {first.name}, within {second.name} "
        "and between them, over the contexts that both rated. If the last is as high as the "
        "others, the two collections are as alike as two parts of one. Below: an annotator’s mean "
        "correlation with the others’ mean in the same collection, and with the other collection’s "
        "scores, which have more or fewer annotators and so less or more noise. Lines: "
        f"95\u00a0% bootstrap intervals over contexts.{undefined}"
    )


@in_style
def draw_kinds(comparison: CollectionComparison) -> Figure:
    """Draw the mean difference of each kind of items. For comparisons with known traits."""
    table = comparison.tables["kinds"].head(MOST_ROWS)
    names = [
        shorten(f"{TRAITS.get(trait, trait)}: {value}")
        for trait, value in zip(table["trait"], table["value"], strict=True)
    ]
    figure = _draw_rows(table.rename(columns={"difference": "estimate"}), names)
    axes = figure.axes[0]
    axes.axvline(0, **REFERENCE_LINE)
    first, second = (shorten(side.name, 16) for side in comparison.sides)
    axes.set_xlabel(f"mean difference: {second} − {first}")
    return figure


def caption_kinds(comparison: CollectionComparison) -> str:
    """Return the caption of the plot, with its numbers."""
    first, second = comparison.sides
    table = comparison.tables["kinds"]
    n_apart = int(((table["low"] > 0) | (table["high"] < 0)).sum())
    n_intervals = int(table["low"].notna().sum())
    more = "" if len(table) <= MOST_ROWS else f" The first {MOST_ROWS} are drawn."
    return (
        f"Mean score in {second.name} less mean score in {first.name} for "
        f"{write_count(len(table), 'kind')} of items, with 95\u00a0% bootstrap intervals over "
        f"pairs.{more} {write_count(n_apart)} of {write_count(n_intervals, 'interval')} "
        f"{'excludes' if n_apart == 1 else 'exclude'} 0; by chance, 1 in 20 does."
    )


def _draw_rows(table: pd.DataFrame, names: list[str]) -> Figure:
    figure = new_figure(0.9 + ROW * len(table))
    axes = figure.subplots()
    place = np.arange(len(table), dtype=float)
    has_interval = table["low"].notna().to_numpy()
    axes.hlines(
        place[has_interval],
        table["low"][has_interval],
        table["high"][has_interval],
        color=STRONG,
        linewidth=1.4,
    )
    axes.plot(table["estimate"], place, markersize=4.5, **DOT)
    axes.set_yticks(place, names, fontsize=8)
    axes.set_ylim(len(table) - 0.4, -0.6)
    return figure
