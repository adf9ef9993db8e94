"""The plots of a run: their tables against loops, their captions and their files."""

import io
import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from lxml import etree

from postprocess.reporting.figures.gallery import illustrate, render_plates
from postprocess.reporting.page import render_page
from postprocess.reporting.plots.collection import caption_collection, tabulate_collection
from postprocess.reporting.plots.distances import tabulate_distances
from postprocess.reporting.plots.evidence import caption_evidence, tabulate_evidence
from postprocess.reporting.plots.forest import caption_forest, tabulate_forest
from postprocess.reporting.plots.plot_files import FIGURES, INDEX, draw_plots, write_plots
from tests.factories.datasets import dataset_of
from tests.factories.ratings import rate

PER_DAY = pd.Series({"2026-03-02": 5, "2026-03-04": 2, "2026-03-03": 4})


@pytest.fixture(scope="module")
def plot_files(dataset):
    return render_plots(dataset, PER_DAY, 20)


def render_plots(dataset, per_day, n_wanted):
    """Return the files of the plots, without the other reports of a dataset."""
    plots = draw_plots(dataset, per_day, n_wanted)
    plates = render(dataset, plots)
    images = {f"figures/{name}.svg": one.svg for name, one in plates.items()}
    images |= {f"figures/{name}.png": one.png for name, one in plates.items()}
    return write_plots(dataset, plots, images)


def render(dataset, plots):
    """Return the images of plots, and of the figures of the report that are among them."""
    figures = [one for one in illustrate(dataset.outcome) if one.name in FIGURES.values()]
    return render_plates([*figures, *(one for one in plots if one.name not in FIGURES)])


def test_every_plot_has_its_files(plot_files):
    index = json.loads(plot_files[INDEX])

    names = [one["name"] for one in index]
    assert names == [
        "change-against-p", "calibration", "score-against-distance", "coverage-over-time",
        "agreement",
    ]  # fmt: skip
    assert set(plot_files) == {
        INDEX, *(f"plots/{name}.{form}" for name in names for form in ("svg", "png", "csv"))
    }  # fmt: skip
    for one in index:
        drawing = etree.fromstring(plot_files[f"plots/{one['name']}.svg"])
        assert one["title"] in "".join(drawing.itertext())
        assert not drawing.xpath("//*[@style] | //*[local-name() = 'style']")
        assert plot_files[f"plots/{one['name']}.png"].startswith(b"\x89PNG")
        assert len(pd.read_csv(io.BytesIO(plot_files[f"plots/{one['name']}.csv"])))
        assert "nan" not in one["caption"]


def test_the_evidence_has_words_and_figures_of_each_pair(dataset):
    table = tabulate_evidence(dataset)

    scores = dataset.outcome.scores
    for row in table.itertuples():
        assert (row.word1, row.word2) == dataset.rows[row.pair - 1][:2]
        assert row.change == scores.loc[row.pair, "change"]
        assert row.pvalue_two_sided == scores.loc[row.pair, "pvalue_two_sided"]
    n_found = sum(q < 0.05 for q in scores["qvalue"])
    assert f"filled: the {n_found} that remain" in caption_evidence(table)


def test_the_forest_has_overall_blocks_and_annotators(dataset):
    table = tabulate_forest(dataset)

    agreement, annotators = dataset.report["agreement"], dataset.outcome.annotators
    assert table["kind"].iloc[0] == "overall"
    assert table["estimate"].iloc[0] == agreement["overall"]["human"]
    shown = table[table["kind"] == "annotator"]
    expected = {
        f"{row.annotator} ({row.group})": (row.rho, row.decision == "left out")
        for row in annotators.itertuples()
        if not np.isnan(row.rho)
    }
    figures = zip(shown["estimate"], shown["is_left_out"], strict=True)
    assert dict(zip(shown["name"], figures, strict=True)) == expected
    assert shown["estimate"].is_monotonic_decreasing
    n_out = sum(is_out for _, is_out in expected.values())
    assert f"crosses: {n_out} left out" in caption_forest(table)


def test_distances_have_the_score_of_their_context(dataset):
    table = tabulate_distances(dataset)

    assert len(table)
    for row in table.itertuples():
        assert row.score == dataset.outcome.scores.loc[row.pair, f"sim{row.context}"]
        assert row.distance >= 1


def test_the_collection_has_every_day_between_the_first_and_the_last():
    table = tabulate_collection(pd.Series({"2026-03-05": 2, "2026-03-02": 5}))

    assert table["day"].dt.strftime("%d").tolist() == ["02", "03", "04", "05"]
    assert table["n_ratings"].tolist() == [5, 0, 0, 2]
    assert table["n_so_far"].tolist() == [5, 5, 5, 7]
    assert "7 of the 14 wanted (50\u00a0%; dashed), on 4 days" in caption_collection(table, 14)


def test_the_report_shows_the_coverage_if_it_is_known(dataset, plates):
    plots = draw_plots(dataset, PER_DAY, 20)
    shown = render_plates(one for one in plots if one.name == "coverage-over-time")

    page = render_page(dataset, plates | shown)

    assert 'id="figure-coverage-over-time"' in page
    assert "<b>Figure 2. Coverage over time.</b>" in page


def test_rendered_figures_keep_no_pixels(dataset):
    plots = draw_plots(dataset)

    render_plates(plots)

    assert [axes for plot in plots for axes in plot.figure.axes] == []


def test_plots_of_few_data_are_drawn():
    tiny = dataset_of(rate((1, 1, "A", 3), (1, 2, "B", 6)), "raw")

    files = render_plots(tiny, pd.Series(dtype=int), 4)

    assert len(files) == 16
    assert "nan" not in files[INDEX].decode()


def test_only_the_data_of_a_plot_have_the_words_and_hold_no_formula(dataset, plot_files):
    """All other files are the same bytes when they are made again."""
    rows = tuple(("=1+1", *row[1:]) for row in dataset.rows)

    made = render_plots(replace(dataset, rows=rows), PER_DAY, 20)

    spoilt = "plots/change-against-p.csv"
    data = made.pop(spoilt).decode()
    assert ",'=1+1," in data
    assert ",=1+1" not in data
    assert made == {name: content for name, content in plot_files.items() if name != spoilt}
