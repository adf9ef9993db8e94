"""The files of a family: page, tables, figures and digests."""

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from postprocess.families.comparing import ALL, SOURCE, Family
from postprocess.reporting.figures.drawing import DOT, RULE, SOFT, in_style, new_figure
from postprocess.reporting.figures.gallery import Illustration, render_plates
from postprocess.reporting.page import make_environment, show_plate
from postprocess.reporting.phrases import write_count, write_figure
from postprocess.reporting.published import HEADINGS, NOTE, PUBLISHED, SIMLEX, write_rows
from postprocess.reporting.report import render_report
from postprocess.reporting.tables import Table
from postprocess.table.rendering import render_table
from postprocess.two_collections.stamps import stamp_name, stamp_title

TITLES = {
    "scores": "Scores with and without context",
    "changes": "Changes by language and part of speech",
}
TEXTS = ("language", "pos", "input", "SHA-256")  # columns without numbers
NOTES = f"{NOTE} SimLex-999: pairs without context, as printed in the task paper."
BARS = "Lines: the whole range; bars: from the lower to the upper quartile; dots: means."
CHANGES = (
    "Each pair’s absolute change (number of pairs in brackets), in points of the published "
    f"scale, as in the task paper’s Figure 2 (c). {BARS}"
)
SCORES = (
    "The scores of the source list’s pairs, without context, and of each language’s contexts "
    f"(number in brackets), as in the task paper’s Figures 2 (a) and (b). {BARS}"
)


def render_family(family: Family) -> dict[str, bytes]:
    """Render the files of a family; the same family gives the same bytes.

    Returns relative path → content: family.html, family.json, a TSV file of each table, and
    figures/changes and, if the source list has scores, figures/scores as .svg and .png. Names have
    stamps if scripts rated, such as family_REHEARSAL.html.
    """
    stamp, tables = stamp_title(family.sides), family.tables
    changes = _draw(tables["changes"], "absolute change")
    drawn = [Illustration("changes", TITLES["changes"], CHANGES, changes)]
    if SOURCE in tables["scores"]["language"].tolist():
        scores = _draw(tables["scores"], "score")
        drawn.insert(0, Illustration("scores", TITLES["scores"], SCORES, scores))
    plates = render_plates(drawn, stamp)
    figures = {name: show_plate(n, plate) for n, (name, plate) in enumerate(plates.items(), 1)}
    template = make_environment().get_template("family.html.jinja")
    page = template.render(
        report=family.report, tables=_tabulate(family), figures=figures, stamp=stamp
    )
    texts = {("family", "html"): page, ("family", "json"): render_report(family.report)}
    texts |= {(name, "tsv"): render_table(table) for name, table in tables.items()}
    files = {named: text.encode() for named, text in texts.items()}
    for name, plate in plates.items():
        files |= {(f"figures/{name}", "svg"): plate.svg, (f"figures/{name}", "png"): plate.png}
    return {f"{stamp_name(name, family.sides)}.{form}": files[name, form] for name, form in files}


def _tabulate(family: Family) -> dict[str, Table]:
    """Return the tables of the page."""
    report, tables = family.report, family.tables
    columns = ("language", *(f"#{name}" for name in HEADINGS.values()))
    rows = write_rows({**PUBLISHED, "SimLex-999": SIMLEX, **report["table1"]})
    overlap = pd.DataFrame(report["overlap"].items(), columns=["languages", "pairs"])
    inputs = pd.DataFrame(report["inputs"].items(), columns=["input", "SHA-256"])
    return {
        "table1": Table("Table 1 of the task paper", columns, rows, "table1", note=NOTES),
        "overlap": _write(overlap, "Pairs by their number of languages", "overlap"),
        "scores": _write(tables["scores"].drop(columns="pos"), "Scores", "scores"),
        "changes": _write(tables["changes"], "Absolute changes", "change"),
        "distance": _write(tables["distance"], "Correlation of score and distance", "distance", 3),
        "inputs": _write(inputs, "Inputs", "digests"),
    }


def _write(table: pd.DataFrame, caption: str, method: str, decimals: int = 2) -> Table:
    def write(cell: object) -> str:
        if isinstance(cell, float):
            return write_figure(cell, decimals)
        return cell if isinstance(cell, str) else write_count(int(str(cell)))

    columns = tuple(name if name in TEXTS else f"#{name}" for name in table)
    return Table(caption, columns, table.map(write).to_numpy().tolist(), method)


@in_style
def _draw(table: pd.DataFrame, label: str) -> Figure:
    """Draw range, quartiles and mean of each row of a described figure."""
    figure, place = new_figure(0.7 + 0.22 * len(table)), np.arange(len(table))
    axes = figure.subplots()
    axes.hlines(place, table["min"], table["max"], color=RULE, linewidth=1)
    axes.hlines(place, table["25%"], table["75%"], color=SOFT, linewidth=7)
    axes.plot(table["mean"], place, markersize=5, **DOT)
    parts = table["pos"].map(lambda pos: "" if pos == ALL else f", {pos}")
    axes.set_yticks(place, table["language"] + parts + table["n"].map(" ({:,})".format))
    axes.set_ylim(len(table) - 0.4, -0.6)
    axes.set_xlabel(label)
    return figure
