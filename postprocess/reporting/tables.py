"""The tables of the report: what stands in them, as text."""

from collections.abc import Iterable
from typing import NamedTuple

import pandas as pd

from postprocess.exclusion import COUNTED
from postprocess.phrases import write_count, write_figure, write_points, write_share
from postprocess.pipeline import Dataset
from postprocess.report import Report
from postprocess.reporting.published import HEADINGS, table1_rows
from postprocess.steps import Outcome

MOST_ROWS = 100  # of a table; the rest is in the file that it names
MEASURES = {
    "human": "human",
    "pairwise": "pairwise ρ",
    "alpha_interval": "α interval",
    "alpha_ordinal": "α ordinal",
}


class Table(NamedTuple):
    """A table: columns whose title begins with "#" hold numbers.

    `method` names the entry of the methods that says how its figures are computed; `rest` tells
    how many rows there are beyond those shown, and where.
    """

    caption: str
    columns: tuple[str, ...]
    rows: list[list[str]]
    method: str = ""
    rest: str = ""
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
    """Who rated what in each group, and how far they agree."""
    report, annotators = dataset.report, dataset.outcome.annotators
    agreement = {entry["group"]: entry for entry in report["agreement"]["groups"]}
    contexts = dataset.outcome.ledger[["group", "pair", "context"]].drop_duplicates()
    n_contexts = contexts["group"].astype(str).value_counts()
    rows = []
    for group, members in annotators.groupby("group"):
        found = agreement.get(group, {})
        rows.append(
            [
                str(group),
                write_count(int(n_contexts[group])),
                write_count(len(members)),
                write_count(int((members["n_used"] > 0).sum())),
                write_count(int(members["n_ratings"].sum())),
                write_count(int(members["n_used"].sum())),
                *(write_figure(found.get(measure)) for measure in MEASURES),
            ]
        )
    columns = (
        "group", "#contexts", "#annotators", "#of them used", "#ratings", "#of them used"
    )  # fmt: skip
    return _cut(
        Table(
            "Groups: who rated the same contexts, and their agreement after all steps",
            (*columns, *(f"#{name}" for name in MEASURES.values())),
            rows,
            method="agreement",
        ),
        "report.json",
    )


def tabulate_agreement(report: Report) -> Table:
    """Agreement overall, by each measure."""
    overall = report["agreement"]["overall"]
    rows = [[name, write_figure(overall.get(key), 3)] for key, name in MEASURES.items()]
    return Table(
        "Agreement of all groups together, after all steps",
        ("measure", "#figure"),
        rows,
        method="agreement",
    )


def tabulate_moved(report: Report) -> Table:
    """Each annotator whom calibration moved, with the figures behind it."""
    rows = [
        [
            str(one["annotator"]),
            str(one["group"]),
            write_figure(one["mean"]),
            write_figure(one["group_mean"]),
            _signed(write_figure(one["deviation"])),
            _signed(write_points(one["shift"])),
            write_count(one["n_clipped"]),
        ]
        for one in report["calibration"]["shifted"]
    ]
    columns = ("annotator", "group", "#mean", "#of group", "#deviation", "#moved by", "#stayed")
    return _cut(
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
            _signed(write_figure(one["gain"], 3)),
            str(one["reason"]),
        ]
        for one in report["filtering"]["left_out"]
    ]
    columns = ("annotator", "group", "#ratings", "#mean ρ", "#bound", "#gain", "reason")
    return _cut(Table("Annotators left out", columns, rows, method="filtering"), "annotators.tsv")


def tabulate_undefined(report: Report) -> Table:
    """Each annotator kept although their agreement is undefined."""
    rows = [
        [str(one["annotator"]), str(one["group"]), write_count(one["n_ratings"]), one["reason"]]
        for one in report["filtering"]["undefined"]
    ]
    columns = ("annotator", "group", "#ratings", "why")
    table = Table("Annotators kept without a defined ρ", columns, rows, method="filtering")
    return _cut(table, "annotators.tsv")


def tabulate_table1(report: Report) -> Table:
    """Table 1 of the task paper with the dataset in its last row."""
    first, *others = HEADINGS
    return Table(
        "Table 1 of the task paper, with this dataset in its last row",
        (first, *(f"#{name}" for name in others)),
        table1_rows(report["language"], report["table1"]["text"]),
        method="table1",
        last_row_stands_out=True,
    )


def tabulate_tests(scores: pd.DataFrame) -> Table:
    """How many pairs change by which test."""
    n = len(scores)
    tests = {
        "published, one-sided: p": scores["pvalue"],
        "two-sided: p": scores["pvalue_two_sided"],
        "two-sided, false discoveries held down: q": scores["qvalue"],
    }
    rows = [
        [name, *(_share(figures < level, n) for level in (0.1, 0.05, 0.01))]
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
    table = Table("Findings in the stimuli", ("#row", "column", "kind", "finding"), rows)
    return _cut(table, "report.json")


def tabulate_inputs(report: Report) -> Table:
    """What went in, by digest."""
    digests = {
        **report["inputs"],
        "recipe": report["recipe"]["sha256"],
        f"code (version {report['code']['version']})": report["code"]["sha256"],
    }
    rows = [[str(name), str(digest)] for name, digest in digests.items()]
    return Table("What went in", ("input", "SHA-256"), rows)


def _cut(table: Table, file: str) -> Table:
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


def _signed(figure: str) -> str:
    is_plain = figure[0].isdigit() and any(digit in "123456789" for digit in figure)
    return f"+{figure}" if is_plain else figure
