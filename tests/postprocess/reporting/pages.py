"""Reading the pages of reports in tests."""

from lxml import html

from postprocess.reporting.figures.drawing import render_svg
from postprocess.reporting.figures.gallery import Plate, illustrate
from postprocess.reporting.plots.plot_files import FIGURES, draw_plots
from tests.factories.ratings import simulate_study

HOSTILE = "<script>alert(1)</script>&\"' {{ 7 * 7 }}"
NAMES = {"1A": "čćđšž ČĆĐŠŽ åäö ÅÄÖ متشابه", "1B": "<b>plain</b>"}


def simulate_named():
    """Return the simulated ratings of groups whose names have letters of many languages."""
    ratings = simulate_study()
    return ratings.assign(group=ratings["group"].map(NAMES))


def draw_all(dataset):
    """Return the figures of a report, drawn."""
    plots = [one for one in draw_plots(dataset) if one.name not in FIGURES]
    return [*illustrate(dataset.outcome), *plots]


def draw_plates(dataset):
    """Return the figures of a report without PNG, which no page shows."""
    return {
        one.name: Plate(
            one.name,
            one.title,
            one.caption,
            render_svg(one.figure, title=one.title, description=one.caption),
            b"",
        )
        for one in draw_all(dataset)
    }


def plain(text):
    """Return text with single plain spaces."""
    return " ".join(text.split())


def text_of(page):
    return plain(html.document_fromstring(page).text_content())


def rows_of(page, caption):
    """Return the cells of the table with the caption, row by row."""
    tables = html.document_fromstring(page).xpath("//table")
    (table,) = (t for t in tables if t.xpath("string(caption)").startswith(caption))
    rows = [
        [cell.text_content().strip() for cell in row.xpath("th|td")] for row in table.iter("tr")
    ]
    return rows[1:]
