"""Reading the pages of reports in tests."""

from lxml import html

from postprocess.reporting.figures.gallery import illustrate, render_plates
from postprocess.reporting.page import render_page

HOSTILE = "<script>alert(1)</script>&\"' {{ 7 * 7 }}"


def page_of(dataset, **options):
    return render_page(dataset, render_plates(illustrate(dataset.outcome)), **options)


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
