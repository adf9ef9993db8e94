"""The files of the comparison of two collections: page, tables, and plots with what they draw."""

import json
from collections.abc import Iterator

from postprocess.reporting.figures.gallery import Illustration, render_plates
from postprocess.reporting.plots.bundle import INDEX, Plot, write_csv
from postprocess.reporting.two_collections import changes, curve, distribution, forests, limits
from postprocess.reporting.two_collections.page import render_page
from postprocess.two_collections.comparing import CollectionComparison
from postprocess.two_collections.rendering import render_tables
from postprocess.two_collections.stamps import stamp_name, stamp_title


def draw_plots(comparison: CollectionComparison) -> list[Plot]:
    """Draw the plots of a comparison, in the order of its page; some need ratings or traits."""
    return list(_draw(comparison))


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
    drawn = [Illustration(names[plot.name], *plot[1:4]) for plot in plots]
    plates = render_plates(drawn, stamp)
    page = render_page(comparison, {name: plates[stamped] for name, stamped in names.items()})
    files = {f"{stamp_name('comparison', sides)}.html": page.encode()}
    files |= render_tables(comparison)
    for plot in plots:
        plate = plates[names[plot.name]]
        files[f"plots/{plate.name}.svg"], files[f"plots/{plate.name}.png"] = plate.svg, plate.png
        files[f"plots/{plate.name}.csv"] = write_csv(plot.table)
    index = [
        {"name": names[plot.name], "title": stamp + plot.title, "caption": plot.caption}
        for plot in plots
    ]
    files[INDEX] = json.dumps(index, ensure_ascii=False, indent=1).encode()
    return files


def _draw(comparison: CollectionComparison) -> Iterator[Plot]:
    tables = comparison.tables
    yield Plot(
        "calibration-curve", curve.TITLE, curve.caption_curve(comparison),
        curve.draw_curve(comparison), tables["curve"],
    )  # fmt: skip
    yield Plot(
        "limits-of-agreement", limits.TITLE, limits.caption_limits(comparison),
        limits.draw_limits(comparison), tables["contexts"],
    )  # fmt: skip
    if len(tables["agreement"]):
        yield Plot(
            "agreement-across", forests.AGREEMENT_TITLE, forests.caption_agreement(comparison),
            forests.draw_agreement(comparison), tables["agreement"],
        )  # fmt: skip
    if len(tables["distribution"]):
        yield Plot(
            "distributions", distribution.TITLE, distribution.caption_distribution(comparison),
            distribution.draw_distribution(comparison), tables["distribution"],
        )  # fmt: skip
    yield Plot(
        "changes-against-changes", changes.TITLE, changes.caption_changes(comparison),
        changes.draw_changes(comparison), tables["pairs"],
    )  # fmt: skip
    if len(tables["kinds"]):
        yield Plot(
            "kinds", forests.KINDS_TITLE, forests.caption_kinds(comparison),
            forests.draw_kinds(comparison), tables["kinds"],
        )  # fmt: skip
