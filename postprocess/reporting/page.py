"""The report as one printable HTML file, without scripts and external files."""

import functools
import re
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import jinja2
import numpy as np
from lxml import etree

from postprocess.designs.procedure import describe_items, describe_task
from postprocess.naming import FIGURES, STAMP
from postprocess.pipeline import Dataset
from postprocess.references import COSIMA, COSIMLEX, TASK_PAPER, write_authors
from postprocess.reporting import tables, trust
from postprocess.reporting.figures.attributes import SVG
from postprocess.reporting.figures.gallery import Plate
from postprocess.reporting.phrases import (
    SPACE,
    describe_second_look,
    write_count,
    write_figure,
    write_points,
    write_share,
)
from postprocess.reporting.report import describe_gaps
from postprocess.steps.post_process import Outcome
from postprocess.steps.rehearsal import warn_of_scripts

CENTRES = {
    "mean": "the mean rating",
    "median": "the median rating",
    "majority": "the answer of most annotators",
}
HEADING = "Word similarity in context"
BELOW = f"{SPACE}<{SPACE}0.05"  # without a line break
TEMPLATES = Path(__file__).parent / "templates"
LINK = "{http://www.w3.org/1999/xlink}href"
REFERENCE = re.compile(r"url\(#([^)]+)\)")
FILE_ATTRIBUTES = ("width", "height", "version")  # not needed in a page


class Shown(NamedTuple):
    """A figure on the page; `svg` is "" in the PDF, which only names the drawing."""

    number: int
    name: str
    title: str
    caption: str
    svg: str


def render_page(dataset: Dataset, plates: Mapping[str, Plate], *, printed: bool = False) -> str:
    """Return the report of a dataset as HTML, with the figures of `render_plates`.

    `printed` is for `render_pdf`: fonts are embedded, and figures only named.
    """
    report, recipe = dataset.report, dataset.outcome.recipe
    environment = make_environment()
    warning = warn_of_scripts(report["counts"])
    return environment.get_template("report.html.jinja").render(
        report=report,
        language=report["language"],
        recipe=recipe,
        recipe_text=recipe.render(),
        tables=_tabulate(dataset),
        figures=_number(plates, drawn=not printed),
        lead=_lead(dataset),
        warning=warning,
        gaps=describe_gaps(report["counts"]),
        stamp=f"{STAMP}: " if warning else "",
        key=_key_figures(dataset),
        each=_ratings_each(dataset.outcome),
        apart=trust.count_apart(report) if not dataset.design else (0, 0),
        has_changes=not dataset.design,
        heading=dataset.design.title if dataset.design else HEADING,
        task=describe_task(dataset.design),
        centre=CENTRES[dataset.design.scores.centre] if dataset.design else "",
        unit=dataset.outcome.unit,
        second_look=describe_second_look(look) if (look := report.get("second_look")) else "",
        wanted=recipe.report,
        printed=printed,
        cosima=COSIMA,
        cosimlex=COSIMLEX,
        task_paper=TASK_PAPER,
    )


@functools.cache  # a template is compiled once
def make_environment() -> jinja2.Environment:
    """Return the environment of the templates, with filters for counts and figures."""
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters.update(
        count=write_count,
        points=write_points,
        share=write_share,
        figure=write_figure,
        authors=write_authors,
    )
    return environment


def _number(plates: Mapping[str, Plate], *, drawn: bool) -> dict[str, Shown]:
    """Return the figures of the page, which may lack some, numbered in its order."""
    shown = [plates[name] for name in FIGURES if name in plates]
    return {plate.name: show_plate(n, plate, drawn=drawn) for n, plate in enumerate(shown, start=1)}


def show_plate(number: int, plate: Plate, *, drawn: bool = True) -> Shown:
    """Return a figure for a page, with its number."""
    name = plate.name
    svg = inline_svg(plate.svg, name, described_by=f"{name}-caption") if drawn else ""
    return Shown(number, name, plate.title, plate.caption, svg)


def _tabulate(dataset: Dataset) -> dict[str, tables.Table]:
    report, outcome = dataset.report, dataset.outcome
    return {
        "groups": tables.tabulate_groups(dataset),
        "findings": tables.tabulate_findings(report),
        "reasons": tables.tabulate_reasons(outcome),
        "moved": tables.tabulate_moved(report),
        "left_out": tables.tabulate_left_out(report),
        "undefined": tables.tabulate_undefined(report),
        "agreement": trust.tabulate_agreement(report),
        **{f"by_{by}": trust.tabulate_slices(report, by) for by in trust.SLICES},
        "divided": trust.tabulate_divided(report),
        "inputs": tables.tabulate_inputs(report),
        **({} if dataset.design else _tabulate_changes(dataset)),
    }


def _tabulate_changes(dataset: Dataset) -> dict[str, tables.Table]:
    """Return the tables of pairs with two contexts."""
    report = dataset.report
    return {
        "size": trust.tabulate_size(report),
        "change": trust.tabulate_change(report),
        "confounds": trust.tabulate_confounds(report),
        "table1": tables.tabulate_table1(report),
        "tests": tables.tabulate_tests(report, dataset.outcome.scores),
    }


def _lead(dataset: Dataset) -> str:
    counts, recipe = dataset.report["counts"], dataset.outcome.recipe
    target, n_scored = recipe.rescaling, int((dataset.outcome.n_used > 0).sum())
    if dataset.design:
        return (
            f"{write_count(counts['annotators'], 'annotator')} rated "
            f"{write_count(counts['pairs'], 'item')}. {describe_items(dataset.design)} This "
            "report describes the collected ratings, the ratings left out, the agreement of "
            f"annotators, and the scores by the recipe “{recipe.name}”. Pairs have one context "
            "each, so there are no sections on changes and confounds."
        )
    return (
        f"How similar are two words in a context? {write_count(counts['annotators'], 'annotator')} "
        f"rated {write_count(counts['pairs'], 'word pair')}, each in two contexts. This report "
        "describes the collected ratings, the ratings left out, the agreement of annotators, and "
        f"the resulting scores from {write_points(target.minimum)} to "
        f"{write_points(target.maximum)} for {write_count(n_scored, 'context')}, by the "
        f"recipe “{recipe.name}”."
    )


def _key_figures(dataset: Dataset) -> dict[str, str]:
    counts, table1 = dataset.report["counts"], dataset.report["table1"]["text"]
    human = dataset.report["agreement"]["overall"]["human"]
    fewest, most = counts["fewest_ratings_of_a_context"], counts["most_ratings_of_a_context"]
    figures = {
        "pairs": write_count(counts["pairs"]),
        "ratings used": write_count(counts["ratings_used"]),
        "annotators used": write_count(counts["annotators_used"]),
        "ratings per score": write_count(most) if fewest == most else f"{fewest:,}–{most:,}",
        "agreement (human)": write_figure(human),
        "mean score": table1["mean"],
    }
    if dataset.design:
        return figures
    return {
        **figures,
        "mean |change|": table1["change"],
        f"pairs with q{BELOW}": table1["share_q"],
        f"pairs with two-sided p{BELOW}": table1["share_two_sided"],
        f"one-sided p{BELOW}, as published": table1["share_one_sided"],
    }


def _ratings_each(outcome: Outcome) -> str:
    """Return the number of ratings per annotator, as the end of a sentence."""
    n = outcome.annotators.groupby("annotator")["n_ratings"].sum()
    if n.min() == n.max():
        return f", {write_count(int(n.min()))} each"
    return f", from {n.min():,} to {n.max():,} each (median {np.median(n):g})"


def inline_svg(svg: bytes, name: str, *, described_by: str) -> str:
    """Return the figure, from `render_svg`, as an SVG element for a page with several figures.

    Its colours are presentation attributes, which apply under any Content-Security-Policy; the
    style sheet of the report overrides them, so that a dark page has dark figures. `name` is a
    prefix of all ids, `described_by` the id of the caption.
    """
    parser = etree.XMLParser(remove_comments=True, resolve_entities=False, no_network=True)
    root = etree.fromstring(svg, parser)
    etree.strip_elements(root, f"{SVG}metadata")
    for attribute in FILE_ATTRIBUTES:
        root.attrib.pop(attribute, None)
    for element in root.iter():
        _rename(element, name)
    title = root.find(f"{SVG}title")
    if title is not None:
        title.set("id", f"{name}-title")
        root.set("aria-labelledby", f"{name}-title")
    root.set("aria-describedby", described_by)
    root.set("role", "img")
    etree.cleanup_namespaces(root)
    text: str = etree.tostring(root, encoding="unicode")
    return text


def _rename(element: etree._Element, name: str) -> None:
    """Prefix all ids and references with the name."""
    for attribute, value in element.attrib.items():
        if attribute == "id":
            element.set(attribute, f"{name}-{value}")
        elif attribute == LINK and value.startswith("#"):
            element.set(attribute, f"#{name}-{value[1:]}")
        elif "url(#" in value:
            element.set(attribute, REFERENCE.sub(rf"url(#{name}-\1)", value))
