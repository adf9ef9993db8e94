"""The comparison of two collections as one HTML file, without scripts and external files."""

from collections.abc import Mapping

from postprocess.reporting.figures.gallery import Plate
from postprocess.reporting.page import make_environment, show_plate
from postprocess.reporting.two_collections import tables
from postprocess.two_collections.comparing import CollectionComparison
from postprocess.two_collections.stamps import stamp_title

TABULATE = {
    "sides": tables.tabulate_sides,
    "correlations": tables.tabulate_correlations,
    "differences": tables.tabulate_differences,
    "curve": tables.tabulate_curve,
    "agreement": tables.tabulate_agreement,
    "contexts": tables.tabulate_contexts,
    "pairs": tables.tabulate_pairs,
    "kinds": tables.tabulate_kinds,
    "relations": tables.tabulate_relations,
}


def render_page(comparison: CollectionComparison, plates: Mapping[str, Plate]) -> str:
    """Return the comparison as HTML, with its rendered plots by name, in the order of the page."""
    first, second = comparison.sides
    figures = {
        name: show_plate(number, plate)
        for number, (name, plate) in enumerate(plates.items(), start=1)
    }
    return (
        make_environment()
        .get_template("comparison.html.jinja")
        .render(
            report=comparison.report,
            first=first,
            second=second,
            tables={name: tabulate(comparison) for name, tabulate in TABULATE.items()},
            figures=figures,
            key=tables.tabulate_summary(comparison.report),
            stamp=stamp_title(comparison.sides),
        )
    )
