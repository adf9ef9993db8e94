"""The files of the comparison of two collections: page, tables, and plots with what they draw."""

import json
from collections.abc import Mapping, Sequence

from postprocess.reporting.figures.gallery import Illustration, Plate, render_plates
from postprocess.reporting.page import make_environment, show_plate
from postprocess.reporting.plots.plot_files import INDEX, Plot, write_csv
from postprocess.reporting.two_collections import (
    changes,
    curve,
    distribution,
    forests,
    limits,
    tables,
)
from postprocess.two_collections.comparing import CollectionComparison, render_tables
from postprocess.two_collections.stamps import stamp_name, stamp_title

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
PLOTS = (  # name, title, caption, drawing, and the table that is drawn
    ("calibration-curve", curve.TITLE, curve.caption_curve, curve.draw_curve, "curve"),
    ("limits-of-agreement", limits.TITLE, limits.caption_limits, limits.draw_limits,
     "contexts"),
    ("agreement-across", forests.AGREEMENT_TITLE, forests.caption_agreement,
     forests.draw_agreement, "agreement"),
    ("distributions", distribution.TITLE, distribution.caption_distribution,
     distribution.draw_distribution, "distribution"),
    ("changes-against-changes", changes.TITLE, changes.caption_changes, changes.draw_changes,
     "pairs"),
    ("kinds", forests.KINDS_TITLE, forests.caption_kinds, forests.draw_kinds, "kinds"),
)  # fmt: skip


def draw_plots(comparison: CollectionComparison) -> list[Plot]:
    """Draw the plots of a comparison, in the order of its page; some need ratings or traits."""
    return [
        Plot(name, title, caption(comparison), draw(comparison), comparison.tables[table])
        for name, title, caption, draw, table in PLOTS
        if len(comparison.tables[table])
    ]


def render_comparison(comparison: CollectionComparison) -> dict[str, bytes]:
    """Render all files of a comparison.

    Parameters
    ----------
    comparison : CollectionComparison
        The result of `compare_collections`.

    Returns
    -------
    dict
        Relative path → content: comparison.html, those of `render_tables`, plots/<name>.svg,
        .png and .csv, and plots/index.json with name, title and caption of each plot. Their names
        have stamps if a model or scripts rated, such as contexts_MODEL.tsv. The same comparison
        gives the same bytes.
    """
    sides = comparison.sides
    stamp = stamp_title(sides)
    plots = draw_plots(comparison)
    names = {plot.name: stamp_name(plot.name, sides) for plot in plots}
    stamped = [plot._replace(name=names[plot.name]) for plot in plots]
    plates = render_plates([Illustration(*plot[:4]) for plot in stamped], stamp)
    page = render_page(comparison, {name: plates[names[name]] for name in names})
    files = {f"{stamp_name('comparison', sides)}.html": page.encode()}
    return files | render_tables(comparison) | render_plot_files(stamped, plates, stamp)


def render_plot_files(
    plots: Sequence[Plot], plates: Mapping[str, Plate], stamp: str = ""
) -> dict[str, bytes]:
    """Return the files in plots/: the images of each plot, the table it draws, and the index."""
    files = {}
    for plot in plots:
        plate = plates[plot.name]
        files[f"plots/{plate.name}.svg"], files[f"plots/{plate.name}.png"] = plate.svg, plate.png
        files[f"plots/{plate.name}.csv"] = write_csv(plot.table)
    index = [
        {"name": plot.name, "title": stamp + plot.title, "caption": plot.caption} for plot in plots
    ]
    return {**files, INDEX: json.dumps(index, ensure_ascii=False, indent=1).encode()}


def render_page(comparison: CollectionComparison, plates: Mapping[str, Plate]) -> str:
    """Return the comparison as HTML, with its rendered plots by name, in the order of the page."""
    first, second = comparison.sides
    figures = {
        name: show_plate(number, plate)
        for number, (name, plate) in enumerate(plates.items(), start=1)
    }
    template = make_environment().get_template("comparison.html.jinja")
    return template.render(
        report=comparison.report,
        first=first,
        second=second,
        tables={name: tabulate(comparison) for name, tabulate in TABULATE.items()},
        figures=figures,
        key=tables.tabulate_summary(comparison.report),
        stamp=stamp_title(comparison.sides),
    )
