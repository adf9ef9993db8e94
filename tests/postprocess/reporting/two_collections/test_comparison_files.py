import json
import re
from dataclasses import replace

import pytest
from lxml import html

from postprocess.formats.reading import KIND
from postprocess.reporting.figures.gallery import Plate
from postprocess.reporting.two_collections.comparison_files import (
    draw_plots,
    render_comparison,
    render_page,
)
from postprocess.reporting.two_collections.distribution import (
    caption_distribution,
    draw_distribution,
)
from postprocess.steps.recipe import ReportSection
from postprocess.two_collections.comparing import compare_collections
from tests.factories.collections import MODEL, collection_of, compare_crowds, scores_of
from tests.factories.ratings import rate, simulate_study
from tests.postprocess.reporting.pages import HOSTILE, plain, rows_of, text_of

NAMES = [
    "calibration-curve", "limits-of-agreement", "agreement-across", "distributions",
    "changes-against-changes", "kinds",
]  # fmt: skip


UNSAMPLED = ReportSection(n_resamples=0, n_splits=1)
EMPTY = b'<svg xmlns="http://www.w3.org/2000/svg"/>'


def plates_of(comparison):
    """The plots with their captions, drawn but not rendered."""
    return {one.name: Plate(*one[:3], EMPTY, b"") for one in draw_plots(comparison)}


@pytest.fixture(scope="module")
def model_comparison():
    """The comparison of a crowd with a model."""
    return compare_crowds(8, source=MODEL, name="Parrot 2")


@pytest.fixture(scope="module")
def comparison_files(model_comparison):
    return render_comparison(model_comparison)


@pytest.fixture(scope="module")
def comparison_page(comparison_files):
    return comparison_files["comparison_MODEL.html"].decode()


def test_every_file_is_stamped_with_the_model(comparison_files):
    stems = {re.sub(r"\.\w+$", "", name) for name in comparison_files}

    assert {stem for stem in stems if not stem.endswith("_MODEL")} == {"plots/index"}
    index = json.loads(comparison_files["plots/index.json"])
    assert [one["name"] for one in index] == [f"{name}_MODEL" for name in NAMES]
    assert all(one["title"].startswith("MODEL: ") for one in index)
    for one in index:
        svg = comparison_files[f"plots/{one['name']}.svg"].decode()
        assert f"<dc:title>{one['title']}" in svg
        assert comparison_files[f"plots/{one['name']}.png"].startswith(b"\x89PNG")
        assert comparison_files[f"plots/{one['name']}.csv"].count(b"\n") > 1
    report = json.loads(comparison_files["comparison_MODEL.json"])
    assert report["second"]["source"] | {"rated_on": ""} == {
        KIND: "model", "model": "Parrot", "model_version": "2", "prompt_sha256": "", "rated_on": "",
    }  # fmt: skip


def test_page_warns_of_a_model(comparison_page):
    assert "MODEL: A and Parrot 2: comparison of two collections" in text_of(comparison_page)
    warning = "given by the language model Parrot, version 2, rated on 2026-05-31, not by people"
    assert warning in text_of(comparison_page)


def test_page_stands_alone_and_its_links_lead_somewhere(comparison_page):
    document = html.document_fromstring(comparison_page)

    ids = document.xpath("//@id")
    assert len(ids) == len(set(ids))
    targets = {link.removeprefix("#") for link in document.xpath("//a/@href")}
    assert targets <= set(ids)
    assert not document.xpath("//script | //link | //img")
    assert "default-src 'none'" in comparison_page


def test_page_shows_the_figures_of_the_report(model_comparison, comparison_page):
    first = model_comparison.report["correlations"][0]
    cells = rows_of(comparison_page, "Correlation of the two collections")[0]
    assert cells[:2] == ["scores, Pearson", f"{first['correlation']:.2f}"]
    difference = model_comparison.report["differences"][0]["difference"]
    assert rows_of(comparison_page, "Differences, second less first")[4][1].startswith(
        f"+{difference:.2f}"
    )
    assert len(rows_of(comparison_page, "Contexts that differ most")) == 16
    assert rows_of(comparison_page, "The two collections")[1] == [
        "rated by", "people", "language model Parrot, version 2, rated on 2026-05-31",
    ]  # fmt: skip
    assert "by the number of the pair" in text_of(comparison_page)


def test_captions_have_the_numbers_of_the_comparison(model_comparison, comparison_files):
    index = json.loads(comparison_files["plots/index.json"])
    captions = {one["name"].removesuffix("_MODEL"): plain(one["caption"]) for one in index}

    limits = model_comparison.report["differences"][0]
    assert f"would give {limits['sd_by_noise']:.2f}" in captions["limits-of-agreement"]
    assert "reliability 0." in captions["calibration-curve"]
    assert "for 2 kinds of items" in captions["kinds"]
    assert "128 ratings of A on 0–6" in captions["distributions"]
    assert "8 pairs" in captions["changes-against-changes"]


def extreme(name):
    """Return comparisons at the edges of what can be drawn."""
    constant = rate(*((p, c, a, 3) for p in (1, 2, 3) for c in (1, 2) for a in "AB"))
    sims = [(0.0, 10.0), (10.0, 0.0), (5.0, 5.0), (2.5, 7.5)]
    sides = {
        "constant": (collection_of(constant), collection_of(constant[::2], "B")),
        "one side with ratings": (
            collection_of(simulate_study(4, 3)), scores_of(sims, "B", language="fi")
        ),
        "scores alone": (scores_of(sims), scores_of(sims, "B")),
    }[name]  # fmt: skip
    return compare_collections(*sides, wanted=UNSAMPLED)


@pytest.mark.parametrize("name", ["constant", "one side with ratings", "scores alone"])
def test_extreme_comparisons_are_drawn_and_described(name, recwarn):
    comparison = extreme(name)

    text = text_of(render_page(comparison, plates_of(comparison)))

    assert "nan" not in text
    assert [str(warning.message) for warning in recwarn] == []


def test_hostile_names_are_text():
    ratings = simulate_study(4, 3)
    sides = collection_of(ratings, HOSTILE, n_scripted=1234), collection_of(ratings, "$x$" * 40)
    comparison = compare_collections(*sides, wanted=UNSAMPLED)

    page = render_page(comparison, plates_of(comparison))

    assert "<script>" not in page
    assert f"1,234 ratings of {plain(HOSTILE)} are by scripts" in text_of(page)


def test_unlike_scales_are_drawn_below_each_other():
    ratings = simulate_study(4, 3)
    first = collection_of(ratings)
    second = replace(first, name="B", scale=replace(first.scale, maximum=10))
    comparison = compare_collections(first, second, wanted=UNSAMPLED)

    assert len(draw_distribution(comparison).axes) == 2
    assert "of B on 0–10" in caption_distribution(comparison)
