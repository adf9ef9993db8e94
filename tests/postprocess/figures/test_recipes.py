import re

import pytest

from postprocess.reporting.figures.drawing import render_svg
from postprocess.reporting.figures.recipes import caption_recipes, count_treatments, draw_recipes
from postprocess.steps.comparison import compare_outcomes
from tests.factories.ratings import outcome_of, simulate_study
from tests.postprocess.figures.edges import EDGES


@pytest.fixture(scope="module")
def recipes_compared():
    ratings = simulate_study()
    return compare_outcomes(outcome_of(ratings, "raw"), outcome_of(ratings))


def test_count_treatments_counts_each_annotator_once(recipes_compared):
    counts = count_treatments(recipes_compared)

    assert int(counts.to_numpy().sum()) == 16
    assert int(counts.loc["shifted", "as given"]) == 1
    assert int(counts.loc["left out", "as given"]) == 2
    assert int(counts[["shifted", "left out"]].to_numpy().sum()) == 0


def test_caption_recipes_has_the_numbers_of_the_comparison(recipes_compared):
    caption = caption_recipes(recipes_compared, "raw", "cosimlex")
    summary = recipes_compared.summary

    assert "recipes raw (x axis) and cosimlex (y axis)" in caption
    assert f"by {summary['largest difference of a score']:.2f} at most" in caption
    n_crossing = summary["pairs on the other side of q = 0.05"]
    assert re.search(rf"{n_crossing} pairs? \(crosses\) moves? to .* side of q = 0.05", caption)
    assert f"by treatment; {summary['annotators treated differently']} differently." in caption


@pytest.mark.parametrize("edge", EDGES)
def test_draw_recipes_accepts_extreme_data(edge, recwarn):
    comparison = compare_outcomes(EDGES[edge](), EDGES[edge]())
    recwarn.clear()

    svg = render_svg(draw_recipes(comparison, "<a> $b$", "second"), title="", description="")

    assert svg.endswith(b"</svg>\n")
    assert "differ by 0.00 on average" in caption_recipes(comparison, "first", "second")
    assert [str(warning.message) for warning in recwarn] == []


def test_draw_recipes_is_deterministic(recipes_compared):
    first, second = (
        render_svg(draw_recipes(recipes_compared, "raw", "cosimlex"), title="", description="")
        for _ in range(2)
    )

    assert first == second
