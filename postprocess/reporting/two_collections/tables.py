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
            "name": one.name,
            "rated by": one.source.describe(),
            "language": one.language,
            "pairs": write_count(len(one.rows)),
            "annotators": NONE
            if one.ratings is None
            else write_count(one.ratings["annotator"].nunique()),
            "ratings in the scores": NONE if one.ratings is None else write_count(len(one.ratings)),
            "scale": NONE if one.scale is None else str(one.scale),
            "recipe": one.recipe or "scores as published",
        }
        for one in comparison.sides
    ]
    rows = [[name, *(one[name] for one in described)] for name in described[0]]
    return Table("The two collections", ("", "first", "second"), rows, method="matching")


def tabulate_correlations(comparison: CollectionComparison) -> Table:
    """Return the correlations of scores and changes, with reliabilities."""
    rows = []
    for one in comparison.report["correlations"]:
        name = CORRELATIONS[one["method"]].replace(" (subtask 1)", "")
        if one["of"] == "change" and one["method"] == "uncentered":
            name += " (subtask 1)"
        rows.append(
            [
                f"{OF[one['of']]}, {name}",
                write_figure(one["correlation"]),
                write_interval(one["low"], one["high"]),
                write_figure(one["reliability_first"]),
                write_figure(one["reliability_second"]),
                write_figure(one["ceiling"]),
                _write_noiseless(one, "\n"),
                CORRECTED[one["corrected_for"]],
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
    rows = [[title, *(_with_ends(one, name) for one in both)] for name, title in names.items()]
    columns = ("figure", *(f"#{OF[one['of']]}" for one in both))
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
            "two annotators" if one["measure"] == "pairwise" else "annotator and mean",
            write_figure(one["estimate"]),
            write_interval(one["low"], one["high"]),
            write_count(one["n_correlations"]),
        ]
        for name, one in zip(
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
            write_count(one["pair"]),
            f"{one['word1']}, {one['word2']}",
            write_count(one["context"]),
            write_figure(one["score_first"]),
            write_figure(one["score_second"]),
            _signed(one["difference"]),
            _signed(one["residual"]),
            *([write_p(one["pvalue"]), _write_q(one)] if "pvalue" in one else []),
            *([_signed(one["delta"])] if "delta" in one else []),
        ]
        for one in comparison.report["different_contexts"]["largest"]
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
    found = comparison.report["different_pairs"]
    tested = any(one["pvalue"] is not None for one in found["largest"])
    rows = [
        [
            write_count(one["pair"]),
            f"{one['word1']}, {one['word2']}",
            _signed(one["change_first"]),
            _signed(one["change_second"]),
            _signed(one["difference"]),
            *([write_figure(one["error"])] if tested else []),
            *([write_p(one["pvalue"]), _write_q(one)] if tested else []),
        ]
        for one in found["largest"]
    ]
    columns = ["#pair", "words", "#first", "#second", "#difference"]
    columns += ["#error", "#p", "#q"] if tested else []
    table = Table("Pairs whose changes differ most", tuple(columns), rows, method="tests")
    return _name_rest(table, found["n"], "pairs")


def tabulate_kinds(comparison: CollectionComparison) -> Table:
    """Return the differences by kind of item; no rows if no trait is known."""
    rows = [
        [
            f"{TRAITS.get(one['trait'], one['trait'])}: {one['value']}",
            write_count(one["n_pairs"]),
            _signed(one["difference"]),
            write_interval(one["low"], one["high"]),
            write_figure(one["absolute"]),
            write_figure(one["correlation"]),
        ]
        for one in comparison.report["kinds"]
    ]
    columns = ("kind", "#pairs", "#mean difference", INTERVAL, "#mean |difference|", "#r")
    table = Table("Differences by kind of item", columns, rows, method="kinds")
    return cut(table, "kinds.tsv")


def tabulate_relations(comparison: CollectionComparison) -> Table:
    """Return the relations of the differences to what is measured in the texts."""
    rows = [
        [
            OF_CONTEXT[one["confound"]],
            STATISTICS[one["statistic"]],
            write_figure(one["estimate"]),
            write_interval(one["low"], one["high"]),
            write_count(one["n"]),
        ]
        for one in comparison.report["relations"]
    ]
    columns = ("measure", "statistic", "#estimate", INTERVAL, "#contexts")
    return Table("Differences and the texts", columns, rows, method="kinds")


def tabulate_summary(report: Mapping[str, Any]) -> dict[str, str]:
    """Return the main figures of a comparison, given its report: title → figure."""
    by_name = {(one["of"], one["method"]): one for one in report["correlations"]}
    score, change = by_name["score", "pearson"], by_name["change", "uncentered"]
    difference = report["differences"][0]
    contexts = report["different_contexts"]
    found = {
        "pairs": write_count(report["matching"]["n_pairs"]),
        "scores: correlation": write_figure(score["correlation"]),
        "scores: without noise": _write_noiseless(score),
        "changes: correlation": write_figure(change["correlation"]),
        "changes: without noise": _write_noiseless(change),
        "mean difference": _signed(difference["difference"]),
        "limits of agreement": write_interval(difference["limit_low"], difference["limit_high"], 1),
    }
    if "qvalue" in contexts["n_below"]:
        found["contexts with q\u00a0<\u00a00.05"] = (
            f"{write_count(contexts['n_below']['qvalue'])} of {write_count(contexts['n'])}"
            f"{' †' if contexts.get('n_noted') else ''}"
        )
    return found


def write_summary(comparison: CollectionComparison) -> str:
    """Return the main figures in a few lines for a terminal."""
    first, second = comparison.sides
    matching: dict[str, Any] = comparison.report["matching"]
    lines = [f"{first.name} → {second.name}, matched by {matching['key']}"]
    found = tabulate_summary(comparison.report)
    width = max(map(len, found)) + 2
    lines += [f"{name:<{width}}{figure}" for name, figure in found.items()]
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
