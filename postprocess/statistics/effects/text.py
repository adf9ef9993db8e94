"""The estimated effects as text for a terminal, and as JSON types."""

from typing import Any

import pandas as pd

from postprocess.reporting.phrases import NONE, SPACE, write_count, write_figure, write_interval
from postprocess.statistics.effects.estimate import Effects

MEANINGS = {
    "pair": "how similar the two words are, whatever the context",
    "context": "what a context adds: the source of all changes",
    "annotator": "annotators who rate higher or lower throughout",
    "questionnaire": "questionnaires rated higher or lower as a whole",
    "noise": "single ratings of one annotator and text",
}
HEADER = ("component", "SD", "95 % interval", "variance", "points", "")


def render_effects(effects: Effects) -> str:
    """Return the main figures in a few lines, with their meaning."""
    figures = effects.figures
    return (
        f"{write_count(int(figures['ratings']), 'rating')} of "
        f"{write_count(int(figures['pairs']), 'pair')} by "
        f"{write_count(int(figures['annotators']), 'annotator')} in "
        f"{write_count(int(figures['questionnaires']), 'questionnaire')}, as given\n\n"
        f"{_align([HEADER, *_component_rows(effects.components)])}\n"
        "SD: of the effects, in log odds. variance: share of a single rating's variance. points: "
        "how much higher\na middling text is rated with an effect of one SD; for noise, the SD of "
        "its ratings.\n\n"
        f"{_describe_shares(effects)}\n{_describe_signs(effects)}"
        + "".join(f"note: {note}.\n" for note in effects.notes)
    )


def list_figures(effects: Effects) -> dict[str, Any]:
    """Return all but the table of pairs as nested lists and mappings, for JSON."""
    tables = {
        "components": effects.components.assign(meaning=pd.Series(MEANINGS)),
        "shares": effects.shares,
        "annotators": effects.annotators,
        "questionnaires": effects.questionnaires,
    }
    return {
        "figures": dict(effects.figures),
        **{name: table.reset_index().to_dict("records") for name, table in tables.items()},
        "thresholds": effects.thresholds.to_dict("records"),
        "notes": list(effects.notes),
    }


def _component_rows(components: pd.DataFrame) -> list[tuple[str, ...]]:
    return [
        (
            str(name),
            write_figure(row["deviation"]),
            write_interval(row["low"], row["high"]),
            _percent(row["share"]),
            write_figure(row["points"]),
            MEANINGS[str(name)],
        )
        for name, row in components.iterrows()
    ]


def _describe_shares(effects: Effects) -> str:
    shares = [
        f"{limit:g}: {_percent(row['share'])} "
        f"({write_interval(100 * row['low'], 100 * row['high'], 0)}{SPACE}%)"
        for limit, row in effects.shares.iterrows()
    ]
    return (
        "Pairs whose true change is larger than … points, with a 95 % interval:\n"
        f"  {', '.join(shares)}"
    )


def _describe_signs(effects: Effects) -> str:
    figures = effects.figures
    n, share = int(figures["clear"]), figures["sign_error_of_clear"]
    called = f"The sign of the change is clear for {n} of {int(figures['pairs'])} pairs"
    if n:
        called += (
            f"; of these, {write_figure(n * share)} are expected not to change or to have the "
            "other sign"
        )
    return (
        f"{called}.\nIf the sign were taken for all pairs, {_percent(figures['sign_error_of_all'])}"
        " would be wrong.\n"
    )


def _percent(share: float) -> str:
    text = write_figure(100 * share, 0)
    return text if text == NONE else f"{text}{SPACE}%"


def _align(rows: list[tuple[str, ...]]) -> str:
    """Align the columns of a table: names and meanings to the left, figures to the right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = []
    for name, *cells, meaning in rows:
        middle = "".join(
            f"  {cell:>{width}}" for cell, width in zip(cells, widths[1:-1], strict=True)
        )
        lines.append(f"{name:<{widths[0]}}{middle}  {meaning}".rstrip())
    return "\n".join(lines)
