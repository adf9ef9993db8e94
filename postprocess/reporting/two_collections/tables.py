"""The tables of the comparison of two collections, as text."""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from postprocess.reporting.phrases import (
    NONE,
    write_count,
    write_figure,
    write_interval,
    write_p,
    write_range,
    write_signed,
)
from postprocess.reporting.tables import Table, cut
from postprocess.reporting.trust import CORRELATIONS, INTERVAL, OF_CONTEXT, STATISTICS
from postprocess.reporting.two_collections.names import TRAITS, name_agreement
from postprocess.two_collections.comparing import CollectionComparison

OF = {"score": "scores", "change": "changes"}
CORRECTED = {"both": "both", "first": "first only", "second": "second only", "": NONE}


def tabulate_sides(comparison: CollectionComparison) -> Table:
    """Return what is compared, a column for each collection."""
    described = [
        {
            "name": side.name,
            "rated by": side.source.describe(),
            "language": side.language,
            "pairs": write_count(len(side.rows)),
            "annotators": NONE if rows is None else write_count(rows["annotator"].nunique()),
            "ratings in the scores": NONE if rows is None else write_count(len(rows)),
            "scale": NONE if side.scale is None else str(side.scale),
            "recipe": side.recipe or "scores as published",
        }
        for side, rows in ((side, side.ratings) for side in comparison.sides)
    ]
    rows = [[name, *(side[name] for side in described)] for name in described[0]]
    return Table("The two collections", ("", "first", "second"), rows, method="matching")


def tabulate_correlations(comparison: CollectionComparison) -> Table:
    """Return the correlations of scores and changes, with reliabilities."""
    rows = []
    for row in comparison.report["correlations"]:
        name = CORRELATIONS[row["method"]].replace(" (subtask 1)", "")
        if row["of"] == "change" and row["method"] == "uncentered":
            name += " (subtask 1)"
        rows.append(
            [
                f"{OF[row['of']]}, {name}",
                write_figure(row["correlation"]),
                write_interval(row["low"], row["high"]),
                write_figure(row["reliability_first"]),
                write_figure(row["reliability_second"]),
                write_figure(row["ceiling"]),
                _write_noiseless(row, "\n"),
                CORRECTED[row["corrected_for"]],
            ]
        )
    columns = (
        "correlation of", "#correlation", INTERVAL, "#reliability, first", "#reliability, second",
        "#ceiling", "#without noise", "corrected for",
    )  # fmt: skip
    return Table("Correlation of the two collections", columns, rows, method="correlation")


def tabulate_differences(comparison: CollectionComparison) -> Table:
    """Return the mean differences and limits of agreement, of scores and of changes."""
    names = {
        "mean_first": "mean, first",
        "mean_second": "mean, second",
        "sd_first": "SD, first",
        "sd_second": "SD, second",
        "difference": "mean difference",
        "limit_low": "lower limit of agreement",
        "limit_high": "upper limit of agreement",
        "sd": "SD of the differences",
        "sd_by_noise": "SD by noise alone",
    }
    both = comparison.report["differences"]
    rows = [[title, *(_with_ends(row, name) for row in both)] for name, title in names.items()]
    columns = ("figure", *(f"#{OF[row['of']]}" for row in both))
    return Table("Differences, second less first", columns, rows, method="limits")


def tabulate_curve(comparison: CollectionComparison) -> Table:
    """Return the bins of the calibration curve."""
    rows = [
        [
            write_range(*(round(bin_[end], 2) for end in ("least", "most"))),
            write_count(bin_["n"]),
            write_figure(bin_["first"]),
            write_figure(bin_["second"]),
            write_interval(bin_["low"], bin_["high"]),
        ]
        for bin_ in comparison.report["curve"]
    ]
    columns = ("scores of the first", "#contexts", "#mean, first", "#mean, second", INTERVAL)
    return Table("The calibration curve", columns, rows, method="curve")


def tabulate_agreement(comparison: CollectionComparison) -> Table:
    """Return the agreement within and between the collections."""
    rows = [
        [
            name,
            "two annotators" if row["measure"] == "pairwise" else "annotator and mean",
            write_figure(row["estimate"]),
            write_interval(row["low"], row["high"]),
            write_count(row["n_correlations"]),
        ]
        for name, row in zip(
            name_agreement(comparison), comparison.report["agreement"], strict=True
        )
    ]
    columns = ("among", "correlation of", "#mean ρ", INTERVAL, "#correlations")
    caption = "Agreement of annotators within and between the collections"
    return Table(caption, columns, rows, method="crossing")


def tabulate_contexts(comparison: CollectionComparison) -> Table:
    """Return the contexts that differ most."""
    rows = [
        [
            write_count(row["pair"]),
            f"{row['word1']}, {row['word2']}",
            write_count(row["context"]),
            write_figure(row["score_first"]),
            write_figure(row["score_second"]),
            _signed(row["difference"]),
            _signed(row["residual"]),
            *([write_p(row["pvalue"]), _write_q(row)] if "pvalue" in row else []),
            *([_signed(row["delta"])] if "delta" in row else []),
        ]
        for row in comparison.report["different_contexts"]["largest"]
    ]
    tested = "pvalue" in comparison.tables["contexts"]
    columns = [
        "#pair", "words", "#context", "#first", "#second", "#difference", "#from the curve"
    ]  # fmt: skip
    columns += ["#p", "#q", "#δ"] if tested else []
    table = Table("Contexts that differ most", tuple(columns), rows, method="tests")
    return _name_rest(table, comparison.report["different_contexts"]["n"], "contexts")


def tabulate_pairs(comparison: CollectionComparison) -> Table:
    """Return the pairs whose changes differ most; with tests, if any pair was tested."""
    pairs = comparison.report["different_pairs"]
    tested = any(row["pvalue"] is not None for row in pairs["largest"])
    rows = [
        [
            write_count(row["pair"]),
            f"{row['word1']}, {row['word2']}",
            _signed(row["change_first"]),
            _signed(row["change_second"]),
            _signed(row["difference"]),
            *([write_figure(row["error"])] if tested else []),
            *([write_p(row["pvalue"]), _write_q(row)] if tested else []),
        ]
        for row in pairs["largest"]
    ]
    columns = ["#pair", "words", "#first", "#second", "#difference"]
    columns += ["#error", "#p", "#q"] if tested else []
    table = Table("Pairs whose changes differ most", tuple(columns), rows, method="tests")
    return _name_rest(table, pairs["n"], "pairs")


def tabulate_kinds(comparison: CollectionComparison) -> Table:
    """Return the differences by kind of item; no rows if no trait is known."""
    rows = [
        [
            f"{TRAITS.get(row['trait'], row['trait'])}: {row['value']}",
            write_count(row["n_pairs"]),
            _signed(row["difference"]),
            write_interval(row["low"], row["high"]),
            write_figure(row["absolute"]),
            write_figure(row["correlation"]),
        ]
        for row in comparison.report["kinds"]
    ]
    columns = ("kind", "#pairs", "#mean difference", INTERVAL, "#mean |difference|", "#r")
    table = Table("Differences by kind of item", columns, rows, method="kinds")
    return cut(table, "kinds.tsv")


def tabulate_relations(comparison: CollectionComparison) -> Table:
    """Return the relations of the differences to what is measured in the texts."""
    rows = [
        [
            OF_CONTEXT[row["confound"]],
            STATISTICS[row["statistic"]],
            write_figure(row["estimate"]),
            write_interval(row["low"], row["high"]),
            write_count(row["n"]),
        ]
        for row in comparison.report["relations"]
    ]
    columns = ("measure", "statistic", "#estimate", INTERVAL, "#contexts")
    return Table("Differences and the texts", columns, rows, method="kinds")


def tabulate_summary(report: Mapping[str, Any]) -> dict[str, str]:
    """Return the main figures of a comparison, given its report: title → figure."""
    by_name = {(row["of"], row["method"]): row for row in report["correlations"]}
    score, change = by_name["score", "pearson"], by_name["change", "uncentered"]
    difference = report["differences"][0]
    contexts = report["different_contexts"]
    summary = {
        "pairs": write_count(report["matching"]["n_pairs"]),
        "scores: correlation": write_figure(score["correlation"]),
        "scores: without noise": _write_noiseless(score),
        "changes: correlation": write_figure(change["correlation"]),
        "changes: without noise": _write_noiseless(change),
        "mean difference": _signed(difference["difference"]),
        "limits of agreement": write_interval(difference["limit_low"], difference["limit_high"], 1),
    }
    if "qvalue" in contexts["n_below"]:
        summary["contexts with q\u00a0<\u00a00.05"] = (
            f"{write_count(contexts['n_below']['qvalue'])} of {write_count(contexts['n'])}"
            f"{' †' if contexts.get('n_noted') else ''}"
        )
    return summary


def write_summary(comparison: CollectionComparison) -> str:
    """Return the main figures in a few lines for a terminal."""
    first, second = comparison.sides
    matching: dict[str, Any] = comparison.report["matching"]
    lines = [f"{first.name} → {second.name}, matched by {matching['key']}"]
    summary = tabulate_summary(comparison.report)
    width = max(map(len, summary)) + 2
    lines += [f"{name:<{width}}{figure}" for name, figure in summary.items()]
    return "\n".join(lines).replace("\u00a0", " ") + "\n"


def _write_noiseless(row: Mapping[str, Any], before_interval: str = "") -> str:
    """Return a correlation without noise, or why the reliabilities do not give one.

    Its interval follows if there is a text before it; the ends are those of a correlation.
    """
    figure = row["disattenuated"]
    if not row["corrected_for"]:
        return NONE
    if figure is None or math.isnan(figure):
        return "not estimable: too little agreement"
    if abs(figure) > 1:
        ceiling = write_figure(abs(row["correlation"] / figure))
        return f"not estimable: beyond the ceiling of {ceiling}"
    ends = [row[f"disattenuated_{end}"] for end in ("low", "high")]
    interval = NONE if None in ends else write_interval(*np.clip(ends, -1, 1))
    if row.get("n_blocks") == 1:
        interval = "no interval: one block"
    has_interval = before_interval and interval != NONE
    return write_figure(figure) + (before_interval + interval if has_interval else "")


def _with_ends(row: Mapping[str, Any], name: str) -> str:
    """Return a figure with its interval, if it has one; a difference has its sign."""
    if f"{name}_low" not in row:
        return write_figure(row[name])
    return f"{_signed(row[name])}\n{write_interval(row[f'{name}_low'], row[f'{name}_high'])}"


def _write_q(row: Mapping[str, Any]) -> str:
    return write_p(row["qvalue"]) + (" †" if row.get("note") else "")


def _signed(figure: float | None) -> str:
    return write_signed(write_figure(figure))


def _name_rest(table: Table, n_all: int, name: str) -> Table:
    n_more = n_all - len(table.rows)
    if n_more <= 0:
        return table
    return table._replace(rest=f"{write_count(n_more)} more {name} in {name}.tsv")
