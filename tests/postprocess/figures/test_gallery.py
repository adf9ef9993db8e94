import functools
import re
import warnings

import pandas as pd
import pytest
from lxml import etree

from postprocess.reporting.figures.drawing import render_png, render_svg
from postprocess.reporting.figures.gallery import illustrate, render_plates
from tests.factories.ratings import outcome_of, simulate_study
from tests.postprocess.figures.edges import EDGES, shuffled

PARTS = pd.Series(["noun", "verb", None, "adjective"] * 6, index=range(1, 25))
NAMES = [
    "ratings-per-context", "annotator-means", "annotator-correlations", "scores", "changes",
    "p-values",
]  # fmt: skip


@pytest.fixture(scope="module")
def study_outcome():
    return outcome_of(simulate_study())


@pytest.fixture(scope="module")
def gallery(study_outcome):
    return illustrate(study_outcome, PARTS)


@pytest.fixture(scope="module")
def captions(gallery):
    return {one.name: one.caption for one in gallery}


@functools.cache
def illustrate_edge(edge):
    """Return the figures of extreme data, and the warnings while they were made."""
    outcome = EDGES[edge]()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        return illustrate(outcome), tuple(str(warning.message) for warning in caught)


def captions_of(edge):
    return {one.name: one.caption for one in illustrate_edge(edge)[0]}


@pytest.mark.parametrize("edge", EDGES)
def test_figures_can_be_drawn_from_extreme_data(edge, recwarn):
    gallery, warned = illustrate_edge(edge)
    recwarn.clear()

    assert warned == ()
    assert [one.name for one in gallery] == NAMES
    for one in gallery:
        svg = render_svg(one.figure, title=one.title, description=one.caption)
        assert etree.fromstring(svg).tag == "{http://www.w3.org/2000/svg}svg"
        assert not re.search(r"\b(nan|inf|None)\b", one.caption), one.caption
        assert one.caption.endswith(".")
        if edge == "many_pairs":  # a number of points can be too large for one format alone
            assert render_png(one.figure).startswith(b"\x89PNG")
    assert [str(warning.message) for warning in recwarn] == []


def test_a_figure_depends_neither_on_earlier_figures_nor_on_the_order_of_rows(gallery):
    names = ("changes", "annotator-means")
    again = {one.name: one for one in illustrate(outcome_of(shuffled(simulate_study())), PARTS)}

    plates = render_plates(one for one in gallery if one.name in {"scores", *names})

    for name in names:
        assert render_plates([again[name]]) == {name: plates[name]}


def test_captions_have_the_numbers_of_the_ratings(study_outcome, captions):
    ledger, scores = study_outcome.ledger, study_outcome.scores
    n = scores[["n1", "n2"]].to_numpy()

    caption = captions["ratings-per-context"]

    assert f"{2 * len(scores)} contexts" in caption
    assert f"all {len(ledger)} given ratings, 8 per context" in caption
    assert f"the {len(study_outcome.used)} ratings used in the scores" in caption
    assert set(n.ravel()) == {7}
    assert "used in the scores, 7 per context, median 7." in caption


def test_captions_have_the_numbers_of_the_annotators(study_outcome, captions):
    annotators = study_outcome.annotators
    n_out = int((annotators["decision"] == "left out").sum())
    n_moved = int((annotators["shift"] != 0).sum())

    assert (n_out, n_moved) == (2, 2)
    assert "16 annotators in 2 groups" in captions["annotator-means"]
    assert "2 annotators outside the band" in captions["annotator-means"]
    rho = annotators["rho"]
    range_of_rho = f"{rho.mean():.2f} on average, from {rho.min():.2f} to {rho.max():.2f}."
    assert range_of_rho.replace("-", "−") in captions["annotator-correlations"]
    assert f"Crosses: {n_out} annotators left out." in captions["annotator-correlations"]


def test_captions_have_the_numbers_of_the_scores(study_outcome, captions):
    scores = study_outcome.scores
    below = int((scores["pvalue_two_sided"] < 0.05).sum())
    discovered = int((scores["qvalue"] < 0.05).sum())
    published = int((scores["pvalue"] < 0.05).sum())

    assert (
        f"dashed: the mean, {scores[['sim1', 'sim2']].to_numpy().mean():.2f}." in captions["scores"]
    )
    deviation = scores[["stdev1", "stdev2"]].to_numpy().mean()
    assert f"the mean deviation, {deviation:.2f}." in captions["scores"]
    assert len({below, discovered, published}) == 3
    assert re.search(rf"the {discovered} pairs? \(\d+\u00a0%\) with q below", captions["changes"])
    nouns = scores["change"][PARTS == "noun"].abs().mean()
    assert f"noun {nouns:.2f} (6 pairs)" in captions["changes"]
    assert "not given" in captions["changes"]
    assert f"Below 0.05 (dark): {below} pairs (" in captions["p-values"]
    assert f"(q < 0.05), {discovered} pairs (" in captions["p-values"]
    assert f"the observed direction: {published} pairs (" in captions["p-values"]


def test_captions_say_what_was_off():
    captions = captions_of("without_steps")

    assert captions["annotator-means"].endswith("Calibration was off, so no ratings were shifted.")
    assert captions["annotator-correlations"].endswith(
        "Filtering was off, so no annotator was left out for a low ρ."
    )


def test_captions_count_omitted_annotators():
    captions = captions_of("marked_ratings")
    few = captions_of("no_groups_found")

    assert captions["annotator-means"].endswith("1 annotator left out before this step: not shown.")
    assert "192 annotators without a defined ρ" in few["annotator-correlations"]
    assert "with equal ratings: not shown" not in few["p-values"]


def test_captions_say_that_nothing_changed():
    captions = captions_of("all_constant")

    assert captions["p-values"].startswith("The p-values of 24 pairs are all 1")
    assert "the mean absolute change is 0.00" in captions["changes"]
