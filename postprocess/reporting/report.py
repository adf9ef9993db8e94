"""The report of a dataset as data: inputs, steps and results, for report.json."""

import json
import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from postprocess.formats.tabular import Finding
from postprocess.naming import STAMP
from postprocess.reporting.phrases import describe_gaps as describe_gaps
from postprocess.reporting.phrases import write_figure
from postprocess.steps.core import KEPT, LEFT_OUT
from postprocess.steps.exclusion import COUNTED, count_left_out
from postprocess.steps.ledger import explain
from postprocess.steps.post_process import Outcome
from postprocess.steps.rehearsal import count_scripted, warn_of_scripts
from postprocess.table.ratings import name_some, number_items

Report = dict[str, Any]


def plain_report(report: Report) -> Report:
    """Return the report in JSON types: NaN as None, floats with 12 digits.

    >>> plain_report({"mean": float("nan"), "rows": (np.int64(2), 6.0, 0.1 + 0.2)})
    {'mean': None, 'rows': [2, 6, 0.3]}
    """
    return {key: _plain(value) for key, value in report.items()}


def render_report(report: Report) -> str:
    """Return the text of `report.json`, from the result of `plain_report`, in its order."""
    return json.dumps(report, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def summarise(report: Report) -> str:
    """Return the main figures in a few lines for a terminal."""
    counts, table1 = report["counts"], report["table1"]["text"]
    warning = warn_of_scripts(counts)
    first = (f"{STAMP}. {warning}" if warning else "", describe_gaps(counts))
    return "".join(f"{line}\n" for line in first if line) + (
        f"pairs     {counts['pairs']}\n"
        f"ratings   {counts['ratings_used']} of {counts['ratings']} used, "
        f"{counts['annotators_used']} of {counts['annotators']} annotators\n"
        f"shifted   {count_shifted(report)} annotators\n"
        f"left out  {'; '.join(_list_left_out(counts))}\n"
        f"scores    mean {table1['mean']}, SD {table1['sd']}, {_summarise_pairs(report)}"
    )


def _summarise_pairs(report: Report) -> str:
    """Return the main figures of the pairs' changes, or of agreement if they have one context."""
    table1 = report["table1"]["text"]
    if "change" not in table1:
        pairwise = write_figure(report["agreement"]["overall"]["pairwise_pearson"])
        return f"human {table1['human']}, average pairwise Pearson {pairwise}\n"
    return (
        f"|change| {table1['change']}, human {table1['human']}\n"
        f"changed   q < 0.05 {table1['share_q']}, two-sided p < 0.05 {table1['share_two_sided']}\n"
        f"          one-sided, as published: p < 0.05 {table1['share_one_sided']}, "
        f"p < 0.1 {table1['share_one_sided_10']}\n"
    )


def report_gaps(outcome: Outcome) -> Report:
    """Count contexts without a score, and contexts of groups in which nobody could be compared.

    Empty if there are none, and for recipes without `filtering.constant_from`, as of earlier
    versions.
    """
    if "note" not in outcome.pairs:
        return {}
    return {
        "contexts": outcome.n_used.size,
        "pairs_without_score": len(outcome.pairs) - len(outcome.scores),
        "contexts_without_score": int((outcome.n_used == 0).sum()),
        "contexts_uncompared": len(outcome.uncompared),
    }


def report_counts(outcome: Outcome, scripted: Collection[str] = ()) -> Report:
    """Return the counts, with the ratings left out by reason.

    `scripted`: annotators that are scripts.
    """
    ledger, used = outcome.ledger, outcome.used
    per_context = np.bincount(number_items(used))
    per_context = per_context[per_context > 0]
    reasons = ledger["reason"][ledger["reason"] != COUNTED].value_counts(sort=False)
    return {
        "pairs": len(outcome.pairs),
        "contexts": outcome.n_used.size,
        "groups": ledger["group"].nunique(),
        "annotators": ledger["annotator"].nunique(),
        "annotators_used": used["annotator"].nunique(),
        "annotators_left_out": count_left_out(ledger),
        "ratings": len(ledger),
        "ratings_used": len(used),
        "ratings_left_out": {str(reason): int(n) for reason, n in reasons.items() if n},
        **({"pairs_decided": outcome.n_decided} if outcome.n_decided else {}),
        **report_gaps(outcome),
        **count_scripted(ledger, scripted),
        "fewest_ratings_of_a_context": int(per_context.min()),
        "most_ratings_of_a_context": int(per_context.max()),
    }


def count_reasons(outcome: Outcome) -> list[tuple[str, int, int]]:
    """Return each reason for leaving out ratings, with the numbers of ratings and annotators."""
    groups = outcome.ledger.groupby("reason", observed=True)["annotator"]
    counts = groups.agg(["size", "nunique"]).itertuples()
    return [(str(reason), int(n), int(of)) for reason, n, of in counts if reason != COUNTED]


def count_shifted(report: Report) -> int:
    """Count the annotators whose ratings calibration shifted in any group."""
    return len({row["annotator"] for row in report["calibration"]["shifted"]})


def report_calibration(outcome: Outcome) -> Report:
    """Return the annotators whose ratings were shifted, with the figures."""
    is_shifted = outcome.annotators["shift"].fillna(0) != 0
    columns = ["group", "annotator", "mean", "group_mean", "deviation", "shift", "n_clipped"]
    return {
        "done": outcome.recipe.calibration.enabled,
        "shifted": outcome.annotators.loc[is_shifted, columns].to_dict("records"),
    }


def report_filtering(outcome: Outcome) -> Report:
    """Return the annotators left out, with reasons, and those kept with undefined agreement."""
    annotators = outcome.annotators
    annotators = annotators.assign(explanation=explain(annotators))
    is_done = outcome.recipe.filtering.enabled
    left_out = annotators["decision"] == LEFT_OUT
    undefined = is_done & (annotators["decision"] == KEPT) & annotators["rho"].isna()
    columns = ["group", "annotator", "n_ratings", "rho", "bound", "gain", "reason", "explanation"]
    return {
        "done": is_done,
        "left_out": annotators.loc[left_out, columns].to_dict("records"),
        "undefined": annotators.loc[undefined, columns].to_dict("records"),
    }


def report_intervals(intervals: pd.DataFrame) -> Report:
    """Return figures of `score_intervals`: their number, and the median error of a change.

    n_changes: changes with an interval; n_apart: those whose interval does not contain 0.
    """
    low, high = intervals["change_low"], intervals["change_high"]
    return {
        "n_changes": int(low.notna().sum()),
        "n_apart": int(((low > 0) | (high < 0)).sum()),
        "median_error": float(intervals["change_error"].median()),
    }


def report_findings(findings: Iterable[Finding]) -> list[Report]:
    """Return the findings in the stimuli, in file order."""
    return [
        {"severity": str(f.severity), "row": f.row, "column": f.column, "reason": f.reason}
        for f in findings
    ]


def report_notes(outcome: Outcome, n_both: int, copies: Sequence[Report]) -> list[str]:
    """Return notes on the figures.

    `n_both` annotators rated both contexts of a pair; `copies` are the rows of `find_copies`.
    """
    used, notes = outcome.used, []
    if not outcome.groups_given:
        notes.append("The groups were derived from the items that annotators have in common.")
    n_items = used.drop_duplicates(["group", "pair", "context"]).groupby("group").size()
    if n_lone := int((n_items == 1).sum()):
        notes.append(
            f"Groups of a single context: {n_lone}. In these, calibration uses one rating per "
            "annotator, and agreement is undefined; give the questionnaires in a column group, or "
            "switch calibration off."
        )
    if n_both:
        notes.append(
            f"Annotators who rated both contexts of a pair: {n_both}. The test of the change "
            "assumes different annotators."
        )
    per_context = used.groupby(["pair", "context"]).size()
    if n_single := int((per_context == 1).sum()):
        notes.append(f"Contexts with one rating, hence without a deviation: {n_single}.")
    if copies:
        notes.append(
            "Pairs of annotators with more equal ratings than chance allows: "
            f"{name_some([describe_copy(copy) for copy in copies])}. This is a reason to look at "
            "their answers, not proof of copying; no rating was left out for it."
        )
    return notes


def describe_copy(copy: Mapping[Any, Any]) -> str:
    """Return a row of `find_copies` as a phrase."""
    return (
        f"{copy['annotator1']} and {copy['annotator2']} ({copy['n_equal']} of {copy['n_common']} "
        f"texts; by chance {copy['expected']:.1f}; p = {copy['pvalue']:.1g})"
    )


def _list_left_out(counts: Mapping[str, Mapping[str, int]]) -> Iterator[str]:
    for name in ("annotators", "ratings"):  # ratings also of annotators with others that are used
        by_reason = counts[f"{name}_left_out"]
        reasons = ", ".join(f"{reason}: {n}" for reason, n in by_reason.items())
        if reasons or name == "annotators":
            yield f"{sum(by_reason.values())} {name}" + (f" ({reasons})" if reasons else "")


def _plain(value: object) -> object:
    """Return the value in JSON types."""
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, np.generic):
        value = value.item()
    return _figure(value) if isinstance(value, float) else value


def _figure(number: float) -> float | None:
    if math.isnan(number):
        return None
    rounded = float(f"{number:.12g}")
    return int(rounded) if rounded.is_integer() else rounded  # 6 and 6.0 are written the same
