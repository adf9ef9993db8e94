"""The figures of boards: captions with the right numbers, marks, and the same bytes each time."""

import numpy as np
import pytest
from lxml import etree
from matplotlib.colors import to_rgb

from postprocess.boards.captions import caption_scores, caption_tests
from postprocess.boards.entries import BoardError, Entry, Kind, only_score
from postprocess.boards.plots import (
    draw_predictions,
    draw_scores,
    draw_tests,
    illustrate_board,
    illustrate_predictions,
)
from postprocess.reporting.figures.drawing import INK, STRONG, render_png, render_svg
from postprocess.reporting.figures.gallery import render_plates
from postprocess.scoring.metrics import CHANGES, SIMILARITIES, Metric


@pytest.fixture
def board_with_ceiling(small_board):
    ceiling = Entry("score ceiling", {"fi": only_score(0.9), "sl": only_score(0.95)}, Kind.CEILING)
    return small_board(CHANGES, more=[ceiling])


def test_every_column_has_scores_and_tests(board_with_ceiling):
    drawn = illustrate_board(board_with_ceiling, is_gold_public=True)

    assert [one.name for one in drawn] == [
        "scores-average", "p-average", "scores-fi", "p-fi", "scores-sl", "p-sl",
    ]  # fmt: skip
    assert not any("nan" in one.caption for one in drawn)
    hidden = illustrate_board(board_with_ceiling)
    assert [one.name for one in hidden] == ["scores-average", "scores-fi", "scores-sl"]
    assert not any("interval" in one.caption for one in hidden)


def test_marks_of_hidden_gold_have_three_decimals(board_with_ceiling):
    hidden, public = (
        illustrate_board(board_with_ceiling, is_gold_public=is_public)[0].figure
        for is_public in (False, True)
    )

    places = [line.get_xdata()[0] for line in hidden.axes[0].lines if len(line.get_xdata()) == 1]
    assert places
    assert all(place == round(place, 3) for place in places)
    exact = [line.get_xdata()[0] for line in public.axes[0].lines if len(line.get_xdata()) == 1]
    assert places == pytest.approx(exact, abs=5e-4)
    assert places != exact


def test_figures_have_the_same_bytes_each_time(board_with_ceiling):
    first, second = (render_plates(illustrate_board(board_with_ceiling)) for _ in range(2))

    assert first == second
    for plate in first.values():
        assert plate.png.startswith(b"\x89PNG")
        assert plate.title in "".join(etree.fromstring(plate.svg).itertext())


def test_scores_are_drawn_with_intervals_groups_and_ceiling(board_with_ceiling):
    axes = draw_scores(board_with_ceiling, "sl").axes[0]

    names = [label.get_text() for label in axes.get_yticklabels()]
    assert set(names) == {"Alba", "Brenta", "Cem & Co", "=Delta_1", "Eno", "distance"}
    styles = {label.get_text(): label.get_fontstyle() for label in axes.get_yticklabels()}
    assert (styles["distance"], styles["Alba"]) == ("italic", "normal")
    verticals = [line for line in axes.lines if list(line.get_xdata()) == [0.95, 0.95]]
    assert len(verticals) == 1
    assert len(axes.collections) == 6  # an interval each
    caption = caption_scores(board_with_ceiling, "sl")
    assert "5 ranked systems" in caption
    assert "score ceiling 0.950" in caption


def test_scores_without_left_out_values_have_no_intervals(small_board):
    board = small_board(more=[Entry("Garonne", {"fi": only_score(-0.31)})])

    axes = draw_scores(board, "fi").axes[0]

    assert axes.get_xlim()[0] == pytest.approx(-0.4)
    with pytest.raises(BoardError, match="the column fi has no tests"):
        draw_tests(board, "fi")


def test_the_heat_map_has_a_cell_for_each_pair(board_with_ceiling):
    axes = draw_tests(board_with_ceiling, "sl").axes[0]

    tests = board_with_ceiling.differences["sl"]
    n = len(tests.names)
    shades = [cell.get_facecolor() for cell in axes.patches]
    assert len(shades) == len(tests.holm) == n * (n - 1) / 2
    assert sum(shade[:3] == to_rgb(STRONG) for shade in shades) == sum(p < 0.05 for p in tests.holm)
    assert len(axes.images) == 0
    assert f"of {len(tests.holm)} differences" in caption_tests(board_with_ceiling, "sl")
    assert len(axes.texts) == sum(p >= 0.001 for p in tests.holm)  # shades say the others


def test_a_heat_map_of_many_systems_is_an_image_of_the_same_shades(board_with_ceiling, monkeypatch):
    monkeypatch.setattr("postprocess.boards.plots.MOST_NAMED", 2)

    axes = draw_tests(board_with_ceiling, "sl").axes[0]

    classes = np.ma.filled(axes.images[0].get_array(), np.nan)
    tests = board_with_ceiling.differences["sl"]
    assert (~np.isnan(classes)).sum() == len(tests.holm)
    assert (classes <= 2).sum() == sum(p < 0.05 for p in tests.holm)
    assert not axes.patches


def test_every_other_group_is_shaded(board_with_ceiling):
    axes = draw_scores(board_with_ceiling, "sl").axes[0]

    groups = {row.places["sl"].group for row in board_with_ceiling.rows if "sl" in row.places}
    assert len(groups) == 2
    assert len(axes.patches) == 1  # the second of two groups
    lines = [line for line in axes.lines if line.get_linestyle() == "-" and line.get_color() == INK]
    assert len(lines) == 1


def test_predictions_are_drawn_against_the_gold():
    rng = np.random.default_rng(0)
    gold = rng.normal(size=(30, 2))

    of_scores = draw_predictions(3 * gold, gold, Metric.HARMONIC)
    of_changes = draw_predictions(np.zeros(30), gold[:, 0], Metric.CHANGE)

    assert len(of_scores.axes[0].lines[0].get_xdata()) == 60
    assert of_changes.axes[0].get_ylabel() == "predicted change"
    svg = render_svg(of_scores, title="t", description="d")
    assert render_svg(
        draw_predictions(3 * gold, gold, Metric.HARMONIC), title="t", description="d"
    ) == svg  # fmt: skip
    assert render_png(of_changes).startswith(b"\x89PNG")
    drawn = illustrate_predictions("Alba", "alba", (SIMILARITIES, "sl"), 3 * gold, gold)
    assert drawn.name == "predictions-alba-2-sl"
    assert "scores of both contexts of 30 pairs (sl)" in drawn.caption
