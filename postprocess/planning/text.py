"""A plan as text for a terminal."""

import math
from collections.abc import Sequence

import pandas as pd

from postprocess.planning.plan import Plan
from postprocess.planning.question import Costs, Question

COSTS = ("ratings", "people", "sittings", "hours", "cost")
HEADER = ("change", "n", "interval", "power", "false", *COSTS)
DETECTABLE_HEADER = ("n", "change", "interval", *COSTS)


def render_plan(plan: Plan, costs: Costs, *, currency: str = "") -> str:
    """Return the table of a plan as text, and an explanation of its figures.

    `currency` follows each cost. A change without the required power at the largest number of
    annotators has no figures.
    """
    question = plan.question
    lines = [HEADER, *(_cells(row, plan, currency) for _, row in plan.table.iterrows())]
    return (
        f"{_align(lines)}\n"
        f"n annotators per context find {question.power:.0%} of such changes (p < "
        f"{question.alpha:g}, one-sided as published, in the right direction).\n"
        f"interval: of n, from {question.simulations} simulations each. false: pairs without a "
        "change that have such a p.\n"
        f"{costs.pairs} pairs in blocks of {costs.block_size}, {costs.seconds_per_item:g} s an "
        "item. people: the fewest, if each does every questionnaire they may.\n"
    )


def render_detectable(changes: pd.DataFrame, question: Question, *, currency: str = "") -> str:
    """Return the table of the smallest detectable changes as text, and an explanation."""
    lines: list[Sequence[str]] = [DETECTABLE_HEADER]
    for _, row in changes.iterrows():
        figures = [row["change"], row["change_low"], row["change_high"]]
        change, low, high = ("" if math.isnan(figure) else f"{figure:.2f}" for figure in figures)
        interval = f"{low}–{high}" if low or high else ""
        lines.append((f"{row['n']:.0f}", change or "none", interval, *_costs(row, currency)))
    return (
        f"\n{_align(lines)}\n"
        f"change: the least one of which n annotators per context find {question.power:.0%}. "
        f"interval: of the change, from {question.simulations} simulations each.\n"
    )


def _align(lines: Sequence[Sequence[str]]) -> str:
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return "".join(
        "  ".join(cell.rjust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
        + "\n"
        for line in lines
    )


def _costs(row: pd.Series, currency: str) -> tuple[str, ...]:
    cost = "" if math.isnan(row["cost"]) else f"{row['cost']:.2f} {currency}".strip()
    counts = (f"{row[name]:.0f}" for name in ("ratings", "annotators", "sittings"))
    return (*counts, f"{row['hours']:.1f}", cost)


def _cells(row: pd.Series, plan: Plan, currency: str) -> tuple[str, ...]:
    change = f"{row['change']:g}"
    if math.isnan(row["n"]):
        return (change, f"> {plan.question.most}", *[""] * (len(HEADER) - 2))
    n_high = "" if math.isnan(row["n_high"]) else f"{row['n_high']:.0f}"
    return (
        change,
        f"{row['n']:.0f}",
        f"{row['n_low']:.0f}–{n_high}",
        f"{row['power']:.3f}",
        f"{row['false_alarms']:.3f}",
        *_costs(row, currency),
    )
