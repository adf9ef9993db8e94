"""The tables of the report, as text."""

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
from postprocess.reporting.report import Report, count_reasons, describe_gaps
from postprocess.steps.post_process import Outcome

MAX_ROWS = 100  # of a table; it names the file with the rest


class Table(NamedTuple):
    """A table; columns whose title begins with "#" have numbers.

    `method` is the entry of the methods for its figures; `rest` is the number of omitted rows and
    the file that has them; `note` is shown below the table.
    """

    caption: str
    columns: tuple[str, ...]
    rows: list[list[str]]
    method: str
    rest: str = ""
    note: str = ""
    last_row_stands_out: bool = False


def tabulate_reasons(outcome: Outcome) -> Table:
    """Return the numbers of ratings and annotators left out, by reason."""
    rows = [[reason, *map(write_count, counts)] for reason, *counts in count_reasons(outcome)]
    n_used, n_annotators = len(outcome.used), outcome.used["annotator"].nunique()
    rows.append(["used in the scores", write_count(n_used), write_count(n_annotators)])
    return Table(
        "Ratings by use",
        ("use", "#ratings", "#annotators"),
        rows,
        method="exclusion",
        last_row_stands_out=True,
    )


def tabulate_groups(dataset: Dataset) -> Table:
    """Return the counts of each group."""
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
        "group", "#contexts", "#annotators", "#used", "#ratings", "#used"
    )  # fmt: skip
    table = Table(
        "Groups of annotators who rated the same contexts", columns, rows, method="groups"
    )
    return cut(table, "report.json")


def tabulate_moved(report: Report) -> Table:
    """Return the annotators whose ratings were shifted, with the figures."""
    rows = [
        [
            str(row["annotator"]),
            str(row["group"]),
            write_figure(row["mean"]),
            write_figure(row["group_mean"]),
            write_signed(write_figure(row["deviation"])),
            write_signed(write_points(row["shift"])),
            write_count(row["n_clipped"]),
        ]
        for row in report["calibration"]["shifted"]
    ]
    columns = ("annotator", "group", "#mean", "#of group", "#deviation", "#shift", "#cut")
    return cut(
        Table("Annotators shifted by calibration", columns, rows, method="calibration"),
        "annotators.tsv",
    )


def tabulate_left_out(report: Report) -> Table:
    """Return the annotators left out, with the figures."""
    rows = [
        [
            str(row["annotator"]),
            str(row["group"]),
            write_count(row["n_ratings"]),
            write_figure(row["rho"], 3),
            write_figure(row["bound"], 3),
            write_signed(write_figure(row["gain"], 3)),
            str(row["reason"]),
        ]
        for row in report["filtering"]["left_out"]
    ]
    columns = ("annotator", "group", "#ratings", "#mean ρ", "#bound", "#gain", "reason")
    return cut(Table("Annotators left out", columns, rows, method="filtering"), "annotators.tsv")


def tabulate_undefined(report: Report) -> Table:
    """Return the annotators kept with undefined agreement."""
    rows = [
        [str(row["annotator"]), str(row["group"]), write_count(row["n_ratings"]), row["reason"]]
        for row in report["filtering"]["undefined"]
    ]
    columns = ("annotator", "group", "#ratings", "reason")
    table = Table("Annotators kept with undefined ρ", columns, rows, method="filtering")
    return cut(table, "annotators.tsv")


def tabulate_table1(report: Report) -> Table:
    """Return Table 1 of the task paper with the dataset in its last row."""
    return Table(
        TITLE,
        ("language", *(f"#{name}" for name in HEADINGS.values())),
        table1_rows(report["language"], report["table1"]["text"]),
        method="table1",
        note=f"{NOTE} {describe_gaps(report['counts'])}".rstrip(),
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
        name = (
            f"paired two-sided p of {write_count(len(paired), 'pair')} rated by the same annotators"
        )
        tests[name] = pd.Series([test["p"] for test in paired])
    rows = [
        [name, *(_share(figures < level, len(figures)) for level in (0.1, 0.05, 0.01))]
        for name, figures in tests.items()
    ]
    columns = ("test", "#below 0.1", "#below 0.05", "#below 0.01")
    gaps = describe_gaps(report["counts"])
    return Table("Pairs that change", columns, rows, method="tests", note=gaps)


def tabulate_findings(report: Report) -> Table:
    """Return the findings in the stimuli."""
    rows = [
        [
            "" if row["row"] is None else write_count(row["row"]),
            row["column"] or "",
            row["severity"],
            row["reason"],
        ]
        for row in report["stimuli_findings"]
    ]
    columns = ("#row", "column", "kind", "finding")
    table = Table("Findings in the stimuli", columns, rows, method="findings")
    return cut(table, "report.json")


def tabulate_inputs(report: Report) -> Table:
    """Return the digests of the inputs."""
    digests = {
        **report["inputs"],
        "recipe": report["recipe"]["sha256"],
        f"code (version {report['code']['version']})": report["code"]["sha256"],
    }
    rows = [[str(name), str(digest)] for name, digest in digests.items()]
    return Table("Inputs", ("input", "SHA-256"), rows, method="digests")


def cut(table: Table, file: str) -> Table:
    """Limit a table to `MAX_ROWS` rows; `file` has the others."""
    if len(table.rows) <= MAX_ROWS:
        return table
    n_more = len(table.rows) - MAX_ROWS
    return table._replace(
        rows=table.rows[:MAX_ROWS], rest=f"{write_count(n_more, 'more row')} in {file}"
    )


def _share(shares: Iterable[bool], n: int) -> str:
    count = int(sum(shares))
    return f"{write_count(count)} ({write_share(count, n)})"
