"""The report in a browser: axe finds nothing, nothing is asked for, and it fits a phone."""

from pathlib import Path

import pytest

from postprocess.figures.gallery import illustrate, render_plates
from postprocess.reporting.page import render_page
from tests.end_to_end.beholding import violations
from tests.end_to_end.browsing import DESKTOP, PHONE, WatchedPage
from tests.postprocess.datasets import dataset_of
from tests.postprocess.simulated import simulate_study


@pytest.fixture(scope="module")
def report_file(tmp_path_factory) -> Path:
    """A report with something in every part: long names, people moved and left out."""
    ratings = simulate_study()
    mark = (ratings["annotator"] == "1B-03").map({True: "withdrawn", False: ""})
    dataset = dataset_of(ratings.assign(mark=mark, group=ratings["group"] + "-a-long-name"))
    path = tmp_path_factory.mktemp("report") / "report.html"
    page = render_page(dataset, render_plates(illustrate(dataset.outcome)))
    path.write_text(page, encoding="utf-8")
    return path


@pytest.mark.parametrize(("size", "colours"), [(DESKTOP, "light"), (PHONE, "dark")])
def test_report_is_accessible_and_asks_nobody(chromium, report_file, size, colours):
    watched = WatchedPage(chromium, size, scripts=True, colours=colours)

    watched.page.goto(report_file.as_uri())

    assert watched.page.locator("figure svg").count() == 6
    assert watched.sideways_scroll == 0
    assert watched.hosts == {""}
    assert watched.complaints == []
    assert violations(watched) == []
