"""The report in a browser: axe finds nothing, nothing is asked for, and it fits a phone."""

from pathlib import Path

import pytest

from postprocess.reporting.figures.drawing import COLOURS
from postprocess.reporting.figures.gallery import render_plates
from postprocess.reporting.page import render_page
from tests.end_to_end.browser import DESKTOP, PHONE, WatchedPage
from tests.end_to_end.colours import has_colour, see
from tests.end_to_end.page_checks import violations
from tests.factories.datasets import dataset_of
from tests.factories.ratings import simulate_study
from tests.postprocess.reporting.pages import draw_all


@pytest.fixture(scope="module")
def report_file(tmp_path_factory) -> Path:
    """A report with something in every part: long names, people moved and left out."""
    ratings = simulate_study()
    mark = (ratings["annotator"] == "1B-03").map({True: "withdrawn", False: ""})
    dataset = dataset_of(ratings.assign(mark=mark, group=ratings["group"] + "-a-long-name"))
    path = tmp_path_factory.mktemp("report") / "report.html"
    page = render_page(dataset, render_plates(draw_all(dataset)))
    path.write_text(page, encoding="utf-8")
    return path


@pytest.mark.parametrize(("size", "colours"), [(DESKTOP, "light"), (PHONE, "dark")])
def test_report_is_accessible_and_asks_nobody(chromium, report_file, size, colours):
    watched = WatchedPage(chromium, size, scripts=True, colours=colours)

    watched.page.goto(report_file.as_uri())

    assert watched.page.locator("figure svg").count() == 9
    assert watched.sideways_scroll == 0
    assert watched.hosts == {""}
    assert watched.complaints == []
    assert violations(watched) == []


@pytest.mark.parametrize("policy", ["", "default-src 'none'; sandbox"])
def test_figures_have_their_colours_under_any_policy(chromium, report_file, policy):
    watched = WatchedPage(chromium, DESKTOP)
    address, headers = "http://report.test/", {"Content-Security-Policy": policy}
    page = report_file.read_bytes()
    watched.page.route(
        address, lambda route: route.fulfill(body=page, headers=headers, content_type="text/html")
    )

    watched.page.goto(address)

    figures = [see(figure) for figure in watched.page.locator("figure svg").all()]
    assert len(figures) == 9
    assert min(figure.bright for figure in figures) > 0.5
    assert min(figure.colourful for figure in figures) > 0.001


def test_figures_of_a_dark_page_are_dark(chromium, report_file):
    watched = WatchedPage(chromium, DESKTOP, colours="dark")

    watched.page.goto(report_file.as_uri())

    shown = watched.page.locator("figure svg").all()
    assert not [name for name in COLOURS for one in shown if has_colour(one, COLOURS[name])]
    figures = [see(figure) for figure in shown]
    assert len(figures) == 9
    assert min(figure.dark for figure in figures) > 0.5
    assert min(figure.colourful for figure in figures) > 0.001
