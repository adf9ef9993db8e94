"""The ledger: how every rating and every annotator was treated, and why."""

from collections.abc import Hashable, Iterator
from typing import Any

import numpy as np
import pandas as pd

from postprocess.reporting.phrases import (
    NONE,
    write_figure,
    write_points,
    write_range,
    write_signed,
)
from postprocess.steps.core import GAIN, LOW, LOWEST
from postprocess.steps.exclusion import COUNTED
from postprocess.steps.post_process import Outcome
from postprocess.table.ratings import RatingsError, number_members
from postprocess.table.rendering import name_codes, render_table

LEDGER_COLUMNS = (
    "pair", "context", "group", "annotator", "rating", "calibrated", "calibration", "used", "reason"
)  # fmt: skip
STAYED = "at the end of the scale, stayed"
CLIPPED = "clipped at the end"


def render_ledger(outcome: Outcome) -> str:
    """Return the text of `ledger.tsv`: a row for each rating, by pair, context and annotator.

    rating and calibrated are in points of the survey's scale; calibration says how a rating was
    moved, and is empty if it was not.
    """
    ledger = outcome.ledger
    used = np.where(ledger["reason"] == COUNTED, "yes", "no")
    columns = {"calibration": describe_moves(outcome), "used": pd.Categorical(used)}
    return render_table(ledger.assign(**columns)[list(LEDGER_COLUMNS)])


def render_annotators(outcome: Outcome) -> str:
    """Return the text of `annotators.tsv`: all figures for each annotator in each group."""
    table = outcome.annotators.assign(explanation=explain(outcome.annotators))
    return render_table(table)


def render_scores(outcome: Outcome) -> str:
    """Return the text of `scores.tsv`: all figures of `aggregate_ratings` for each pair."""
    return render_table(name_single(outcome.pairs).reset_index())


def name_single(pairs: pd.DataFrame) -> pd.DataFrame:
    """Name the columns of pairs with one context as in files: n, score, stdev, median.

    Pairs with two contexts keep their names.
    """
    if "sim2" in pairs:
        return pairs
    return pairs.rename(columns=lambda name: name.replace("sim1", "score").removesuffix("1"))


def number_single(table: pd.DataFrame) -> pd.DataFrame:
    """Undo `name_single` for a table that was read."""
    if "score" not in table and "score_low" not in table:
        return table
    ends = [name for name in table if str(name) in ("n", "stdev", "median", "mean", "share")]
    scores = {name: str(name).replace("score", "sim1") for name in table}
    return table.rename(columns={**scores, **{name: f"{name}1" for name in ends}})


def describe_moves(outcome: Outcome) -> "pd.Categorical[Any]":
    """Return in words how calibration moved each rating of the ledger; "" if it did not."""
    ledger = outcome.ledger
    member, _ = number_members(ledger)  # the rows of `annotators`
    shifts, shift = np.unique(outcome.annotators["shift"].fillna(0), return_inverse=True)
    moved, moves = pd.factorize((ledger["calibrated"] - ledger["rating"]).round(9))
    kind = np.where(moved < 0, -1, shift[member] * len(moves) + moved)  # -1: left out before
    codes, kinds = pd.factorize(kind, use_na_sentinel=False)
    words = [
        _describe_move(shifts[kind // len(moves)], moves[kind % len(moves)]) if kind >= 0 else ""
        for kind in kinds
    ]
    return name_codes(codes, words)


def explain(annotators: pd.DataFrame) -> list[str]:
    """Return each decision in words with its figures, for rows of `Outcome.annotators`."""
    rows = zip(*(annotators[name] for name in ("reason", "rho", "bound", "gain")), strict=True)
    return [_explain(str(reason), rho, bound, gain) for reason, rho, bound, gain in rows]


def trace_context(outcome: Outcome, pair: int, context: int) -> str:
    """Describe how the published figures of a context follow from its ratings, as text.

    Raises RatingsError if the context does not exist.
    """
    ledger = outcome.ledger.assign(calibration=describe_moves(outcome))
    rows = ledger[(ledger["pair"] == pair) & (ledger["context"] == context)]
    if rows.empty:
        n_pairs = len(outcome.pairs)
        raise RatingsError(
            f"pair {pair}, context {context} does not exist: pairs are 1 to {n_pairs}, contexts "
            "1 and 2"
        )
    return "\n".join(_trace(outcome, rows, pair, context)) + "\n"


def _explain(reason: str, rho: float, bound: float, gain: float) -> str:
    if reason == LOW:
        return (
            f"mean rho {write_figure(rho, 3)} is below the group's bound {write_figure(bound, 3)}"
        )
    if reason == LOWEST:
        return f"mean rho {write_figure(rho, 3)} is below the minimum"
    if reason == GAIN:
        return f"without them the group's mean rho rises by {write_figure(gain, 3)}"
    return reason


def _describe_move(shift: float, moved: float) -> str:
    if shift == 0:
        return ""
    if moved == 0:
        return STAYED
    by = write_signed(write_points(moved))
    return f"moved by {by}" + (f", {CLIPPED}" if moved != shift else "")


def _trace(outcome: Outcome, rows: pd.DataFrame, pair: int, context: int) -> Iterator[str]:
    scale, target = outcome.recipe.scale.as_scale(), outcome.recipe.rescaling.as_scale()
    score = outcome.pairs.loc[pair]
    used = rows[rows["reason"] == COUNTED]
    yield f"pair {pair}, context {context}; recipe {outcome.recipe.name}"
    yield ""
    yield f"{'annotator':<16}{'group':<10}{'rating':>7}{'used as':>9}  what happened"
    for row in rows.to_dict("records"):
        yield _trace_rating(row)
    yield ""
    points = used["calibrated"]
    yield f"n      {len(used)} of {len(rows)} ratings"
    yield f"mean   {_figure(points.mean(), 12)} on {scale}"
    yield (
        f"sim{context}   {_figure(score[f'sim{context}'], 12)} = the mean rescaled to "
        f"{write_range(target.minimum, target.maximum)}"
    )
    deviation = _figure(score[f"stdev{context}"], 12)
    yield f"stdev{context} {deviation} = the sample deviation, rescaled"
    p, two_sided, q = (
        _figure(score[test], 12) for test in ("pvalue", "pvalue_two_sided", "qvalue")
    )
    yield (
        f"pvalue {p} = Mann-Whitney of the used ratings of context 1 against those of context 2, "
        f"one-sided, as published; two-sided {two_sided}, q over all pairs {q}"
    )
    yield ""
    yield from _trace_annotators(outcome, rows)


def _trace_rating(row: dict[Hashable, Any]) -> str:
    is_used = row["reason"] == COUNTED
    happened = [str(row["calibration"]), "" if is_used else f"left out: {row['reason']}"]
    used_as = _figure(row["calibrated"]) if is_used else NONE
    return (
        f"{row['annotator']:<16}{row['group']:<10}{_figure(row['rating']):>7}{used_as:>9}  "
        f"{'; '.join(part for part in happened if part)}"
    ).rstrip()


def _trace_annotators(outcome: Outcome, rows: pd.DataFrame) -> Iterator[str]:
    """Yield the figures behind each decision on the annotators of these rows."""
    annotators = outcome.annotators.set_index(["group", "annotator"])
    yield "their figures: mean of the group's means, deviation, shift; mean rho, bound"
    for key in rows[["group", "annotator"]].astype(str).itertuples(index=False, name=None):
        row = annotators.loc[key]
        yield (
            f"{key[1]:<16}mean {_figure(row['mean'])} of {_figure(row['group_mean'])}, "
            f"deviation {_figure(row['deviation'])}, shift {_figure(row['shift'])}; "
            f"rho {_figure(row['rho'])}, bound {_figure(row['bound'])}"
        )


def _figure(number: object, digits: int = 4) -> str:
    text = f"{number:.{digits}g}"
    if text == "nan":
        return NONE
    return f"−{text[1:]}" if text.startswith("-") else text  # 2e-05 keeps its hyphen
