"""The tables of the report: what stands in them, as text."""

from collections.abc import Iterable
from typing import NamedTuple

import pandas as pd

from postprocess.pipeline import Dataset
from postprocess.reporting.phrases import (
    write_count,
    write_figure,
    write_points,
    write_share,
    write_signed,
)
from postprocess.reporting.published import HEADINGS, NOTE, TITLE, table1_rows
from postprocess.reporting.report import Report
from postprocess.steps.exclusion import COUNTED
from postprocess.steps.post_process import Outcome

MOST_ROWS = 100  # of a table; the rest is in the file that it names


class Table(NamedTuple):
    """A table: columns whose title begins with "#" hold numbers.

    `method` names the entry of the methods that says how its figures are computed; `rest` is the
    number of rows that are not shown, with the file that has them; `note` is shown below.
    """

    caption: str
    columns: tuple[str, ...]
    rows: list[list[str]]
    method: str
    rest: str = ""
    note: str = ""
    last_row_stands_out: bool = False


def tabulate_reasons(outcome: Outcome) -> Table:
    """How many ratings of how many annotators were left out for which reason."""
    ledger = outcome.ledger
    found = ledger.groupby("reason", observed=True)["annotator"].agg(["size", "nunique"])
    rows = [
        [str(reason), write_count(int(n)), write_count(int(people))]
        for reason, n, people in found.itertuples()
        if reason != COUNTED
    ]
    n_used, who = len(outcome.used), outcome.used["annotator"].nunique()
    rows.append(["used in the scores", write_count(n_used), write_count(who)])
    return Table(
        "Ratings by what became of them",
        ("what became of them", "#ratings", "#annotators"),
        rows,
        method="exclusion",
        last_row_stands_out=True,
    )


def tabulate_groups(dataset: Dataset) -> Table:
    """Who rated what in each group."""
    annotators = dataset.outcome.annotators
    contexts = dataset.outcome.ledger[["group", "pair", "context"]].drop_duplicates()
    n_contexts = contexts["group"].astype(str).value_counts()
    rows = []
    for group, members in annotators.groupby("group"):
        rows.append(
            [
                str(group),
                write_count(int(n_contexts[group])),
                write_count(len(members)),
                write_count(int((members["n_used"] > 0).sum())),
                write_count(int(members["n_ratings"].sum())),
                write_count(int(members["n_used"].sum())),
            ]
        )
    columns = (
        "group", "#contexts", "#annotators", "#of them used", "#ratings", "#of them used"
    )  # fmt: skip
    table = Table("Groups: who rated the same contexts", columns, rows, method="groups")
    return cut(table, "report.json")


def tabulate_moved(report: Report) -> Table:
    """Each annotator whom calibration moved, with the figures behind it."""
    rows = [
        [
            str(one["annotator"]),
            str(one["group"]),
            write_figure(one["mean"]),
            write_figure(one["group_mean"]),
            write_signed(write_figure(one["deviation"])),
            write_signed(write_points(one["shift"])),
            write_count(one["n_clipped"]),
        ]
        for one in report["calibration"]["shifted"]
    ]
    columns = ("annotator", "group", "#mean", "#of group", "#deviation", "#moved by", "#stayed")
    return cut(
        Table("Annotators moved by calibration", columns, rows, method="calibration"),
        "annotators.tsv",
    )


def tabulate_left_out(report: Report) -> Table:
    """Each annotator left out, with the figures behind it."""
    rows = [
        [
            str(one["annotator"]),
            str(one["group"]),
            write_count(one["n_ratings"]),
            write_figure(one["rho"], 3),
            write_figure(one["bound"], 3),
            write_signed(write_figure(one["gain"], 3)),
            str(one["reason"]),
        ]
        for one in report["filtering"]["left_out"]
    ]
    columns = ("annotator", "group", "#ratings", "#mean ρ", "#bound", "#gain", "reason")
    return cut(Table("Annotators left out", columns, rows, method="filtering"), "annotators.tsv")


def tabulate_undefined(report: Report) -> Table:
    """Each annotator kept although their agreement is undefined."""
    rows = [
        [str(one["annotator"]), str(one["group"]), write_count(one["n_ratings"]), one["reason"]]
        for one in report["filtering"]["undefined"]
    ]
    columns = ("annotator", "group", "#ratings", "why")
    table = Table("Annotators kept without a defined ρ", columns, rows, method="filtering")
    return cut(table, "annotators.tsv")


def tabulate_table1(report: Report) -> Table:
    """Table 1 of the task paper with the dataset in its last row."""
    return Table(
        TITLE,
        ("language", *(f"#{name}" for name in HEADINGS.values())),
        table1_rows(report["language"], report["table1"]["text"]),
        method="table1",
        note=NOTE,
        last_row_stands_out=True,
    )


def tabulate_tests(report: Report, scores: pd.DataFrame) -> Table:
    """Count the pairs that change by each test."""
    tests = {
        "q (false discovery rate) of the two-sided p": scores["qvalue"],
        "two-sided p": scores["pvalue_two_sided"],
        "one-sided p, as published": scores["pvalue"],
    }
    if paired := report["change"]["paired"]:
        name = f"paired two-sided p of {write_count(len(paired), 'pair')} rated by the same people"
        tests[name] = pd.Series([one["p"] for one in paired])
    rows = [
        [name, *(_share(figures < level, len(figures)) for level in (0.1, 0.05, 0.01))]
        for name, figures in tests.items()
    ]
    columns = ("test", "#below 0.1", "#below 0.05", "#below 0.01")
    return Table("Pairs found to change", columns, rows, method="tests")


def tabulate_findings(report: Report) -> Table:
    """What is wrong or odd in the stimuli."""
    rows = [
        [
            "" if found["row"] is None else write_count(found["row"]),
            found["column"] or "",
            found["severity"],
            found["reason"],
        ]
        for found in report["stimuli_findings"]
    ]
    columns = ("#row", "column", "kind", "finding")
    table = Table("Findings in the stimuli", columns, rows, method="findings")
    return cut(table, "report.json")


def tabulate_inputs(report: Report) -> Table:
    """What went in, by digest."""
    digests = {
        **report["inputs"],
        "recipe": report["recipe"]["sha256"],
        f"code (version {report['code']['version']})": report["code"]["sha256"],
    }
    rows = [[str(name), str(digest)] for name, digest in digests.items()]
    return Table("What went in", ("input", "SHA-256"), rows, method="digests")


def cut(table: Table, file: str) -> Table:
    """The table with as many rows as a reader looks at, and where the others are."""
    if len(table.rows) <= MOST_ROWS:
        return table
    n_more = len(table.rows) - MOST_ROWS
    return table._replace(
        rows=table.rows[:MOST_ROWS], rest=f"{write_count(n_more, 'more row')} in {file}"
    )


def _share(found: Iterable[bool], n: int) -> str:
    count = int(sum(found))
    return f"{write_count(count)} ({write_share(count, n)})"
