"""The ledger: what happened to every rating and every annotator, and why."""

from collections.abc import Hashable, Iterable, Iterator
from typing import Any

import numpy as np
import pandas as pd

from postprocess.exclusion import COUNTED
from postprocess.files import render_rows
from postprocess.filtering import explain
from postprocess.ratings import RatingsError
from postprocess.steps import Outcome

LEDGER_COLUMNS = (
    "pair", "context", "group", "annotator", "rating", "calibrated", "calibration", "used", "reason"
)  # fmt: skip
STAYED = "at the end of the scale, stayed"
CLIPPED = "clipped at the end"


def render_ledger(outcome: Outcome) -> str:
    """The text of `ledger.tsv`: a row for each rating, in the order of pair, context, annotator.

    rating and calibrated are in points of the survey's scale; calibration tells how a rating was
    moved, and is empty if it was not.
    """
    ledger = outcome.ledger
    columns = (
        ledger["pair"],
        ledger["context"],
        ledger["group"],
        ledger["annotator"],
        write_figures(ledger["rating"]),
        write_figures(ledger["calibrated"]),
        describe_moves(outcome),
        np.where(ledger["reason"] == COUNTED, "yes", "no"),
        ledger["reason"],
    )
    return render_rows(LEDGER_COLUMNS, _as_text(columns))


def render_annotators(outcome: Outcome) -> str:
    """The text of `annotators.tsv`: a row for each annotator of each group, with all figures."""
    table = outcome.annotators.assign(explanation=outcome.annotators.apply(explain, axis="columns"))
    return render_figures(table)


def render_scores(outcome: Outcome) -> str:
    """The text of `scores.tsv`: a row for each pair, with every figure of `aggregate_ratings`."""
    return render_figures(outcome.scores.reset_index())


def render_figures(table: pd.DataFrame) -> str:
    """A table as tab-separated text: numbers to 12 digits, NaN as nothing."""
    columns = [
        write_figures(table[name]) if pd.api.types.is_float_dtype(table[name]) else table[name]
        for name in table
    ]
    return render_rows([str(name) for name in table.columns], _as_text(columns))


def write_figures(figures: pd.Series) -> list[str]:
    """Numbers as text: 12 digits, the shortest way of writing them, NaN as nothing.

    >>> write_figures(pd.Series([3.0, 0.1 + 0.2, float("nan")]))
    ['3', '0.3', '']
    """
    codes, distinct = pd.factorize(figures.to_numpy(dtype=float))
    texts = np.array([*(f"{figure:.12g}" for figure in distinct), ""], dtype=object)
    return list(texts[codes])  # the code of NaN is -1


def describe_moves(outcome: Outcome) -> list[str]:
    """How calibration moved each rating of the ledger, in words; "" if it did not."""
    ledger, annotators = outcome.ledger, outcome.annotators
    keys = ["group", "annotator"]
    named = ledger[keys].astype(str)
    shift = named.merge(annotators[[*keys, "shift"]], how="left", on=keys)["shift"].fillna(0)
    moved = (ledger["calibrated"] - ledger["rating"]).fillna(0).round(9).to_numpy()
    codes, kinds = pd.factorize(pd.Series(list(zip(shift, moved, strict=True))))
    words = np.array([_describe_move(*kind) for kind in kinds], dtype=object)
    counted = ledger["calibrated"].notna().to_numpy()
    return list(np.where(counted, words[codes], ""))


def trace_context(outcome: Outcome, pair: int, context: int) -> str:
    """The way from the ratings of a context to its published figures, as text for a person.

    Raises RatingsError if there is no such context.
    """
    ledger = outcome.ledger.assign(calibration=describe_moves(outcome))
    rows = ledger[(ledger["pair"] == pair) & (ledger["context"] == context)]
    if rows.empty:
        n_pairs = len(outcome.scores)
        raise RatingsError(
            f"there is no context {context} of pair {pair}: pairs are 1 to {n_pairs}, contexts "
            "1 and 2"
        )
    return "\n".join(_trace(outcome, rows, pair, context)) + "\n"


def _describe_move(shift: float, moved: float) -> str:
    if shift == 0:
        return ""
    if moved == 0:
        return STAYED
    return f"moved by {moved:+g}" + (f", {CLIPPED}" if moved != shift else "")


def _trace(outcome: Outcome, rows: pd.DataFrame, pair: int, context: int) -> Iterator[str]:
    scale, target = outcome.recipe.scale.as_scale(), outcome.recipe.rescaling.as_scale()
    score = outcome.scores.loc[pair]
    used = rows[rows["reason"] == COUNTED]
    yield f"pair {pair}, context {context}; recipe {outcome.recipe.name}"
    yield ""
    yield f"{'annotator':<16}{'group':<10}{'rating':>7}{'used as':>9}  what happened"
    for row in rows.to_dict("records"):
        yield _trace_rating(row)
    yield ""
    points = used["calibrated"]
    yield f"n      {len(used)} of {len(rows)} ratings"
    yield f"mean   {points.mean():.12g} on {scale}"
    yield (
        f"sim{context}   {score[f'sim{context}']:.12g} = the mean rescaled to "
        f"{target.minimum:g}–{target.maximum:g}"
    )
    yield f"stdev{context} {score[f'stdev{context}']:.12g} = the sample deviation, rescaled"
    yield (
        f"pvalue {score['pvalue']:.12g} = Mann-Whitney of the used ratings of context 1 against "
        "those of context 2, one-sided"
    )
    yield ""
    yield from _trace_annotators(outcome, rows)


def _trace_rating(row: dict[Hashable, Any]) -> str:
    is_used = row["reason"] == COUNTED
    happened = [str(row["calibration"]), "" if is_used else f"left out: {row['reason']}"]
    used_as = _figure(row["calibrated"]) if is_used else "–"
    return (
        f"{row['annotator']:<16}{row['group']:<10}{_figure(row['rating']):>7}{used_as:>9}  "
        f"{'; '.join(part for part in happened if part)}"
    ).rstrip()


def _trace_annotators(outcome: Outcome, rows: pd.DataFrame) -> Iterator[str]:
    """The figures behind each decision on the annotators of these rows."""
    annotators = outcome.annotators.set_index(["group", "annotator"])
    yield "their figures: mean of the group's means, deviation, shift; mean rho, bound"
    for key in rows[["group", "annotator"]].astype(str).itertuples(index=False, name=None):
        one = annotators.loc[key]
        yield (
            f"{key[1]:<16}mean {_figure(one['mean'])} of {_figure(one['group_mean'])}, "
            f"deviation {_figure(one['deviation'])}, shift {_figure(one['shift'])}; "
            f"rho {_figure(one['rho'])}, bound {_figure(one['bound'])}"
        )


def _figure(number: object) -> str:
    text = f"{number:.4g}"
    return "–" if text == "nan" else text


def _as_text(columns: Iterable[Iterable[object]]) -> Iterator[tuple[str, ...]]:
    return (tuple(map(str, row)) for row in zip(*columns, strict=True))
