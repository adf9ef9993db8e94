import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from postprocess.statistics.effects.design import design_study
from postprocess.statistics.effects.estimate import (
    estimate_effects,
    find_obstacle,
    list_notes,
)
from postprocess.statistics.effects.fitting import EffectsError
from postprocess.statistics.effects.tables import components_table
from postprocess.statistics.effects.text import list_figures, render_effects
from postprocess.table.ratings import Scale

SCALE, PUBLISHED = Scale(0, 6), Scale(0, 10)


def estimate(ratings, scale=SCALE, published=PUBLISHED, *, n_draws=400, **options):
    rng = np.random.default_rng(1)
    return estimate_effects(ratings, scale, published, n_draws=n_draws, rng=rng, **options)


def test_changes_are_those_of_the_means_drawn_towards_0(sample, effects):
    means = sample.groupby(["pair", "context"])["rating"].mean().unstack() * 10 / 6
    pairs = effects.pairs

    assert pairs["raw"].tolist() == pytest.approx((means[2] - means[1]).tolist())
    assert pairs[["n1", "n2"]].to_numpy().tolist() == [[5, 5]] * 24
    assert pairs["change"].abs().mean() < 0.8 * pairs["raw"].abs().mean()
    assert pairs["change"].corr(pairs["raw"]) > 0.9


def test_the_figures_of_a_pair_agree_with_each_other(effects):
    pairs = effects.pairs

    assert (pairs["clear"] == (pairs["sign_error"] < 0.025)).all()
    for low, high in (("low", "high"), ("latent_low", "latent_high")):
        assert (pairs["clear"] == (pairs[low] * pairs[high] > 0)).all()
        assert (pairs[low] < pairs[high]).all()
    assert pairs["change"].between(pairs["low"], pairs["high"]).all()


def test_the_shares_are_the_mean_probabilities_of_the_pairs(effects):
    assert effects.shares.index.tolist() == [0.5, 1, 2]
    assert effects.shares.loc[1.0, "share"] == pytest.approx(effects.pairs["larger"].mean())
    assert (effects.shares["low"] < effects.shares["share"]).all()
    assert (effects.shares["share"] < effects.shares["high"]).all()


def test_the_sign_errors_of_the_whole_are_means(effects):
    errors, clear = effects.pairs["sign_error"], effects.pairs["clear"]

    assert effects.figures["clear"] == clear.sum() == 2
    assert effects.figures["sign_error_of_clear"] == pytest.approx(errors[clear].mean())
    assert effects.figures["sign_error_of_all"] == pytest.approx(errors.mean())


def test_components_are_explained_in_points(effects):
    components = effects.components

    assert components["share"].sum() == pytest.approx(1)
    assert components.loc["noise", "deviation"] == pytest.approx(np.pi / np.sqrt(3))
    assert (components["points"] > 0).all()
    free = components.drop("noise")
    assert (free["low"] * free["high"]).tolist() == pytest.approx((free["deviation"] ** 2).tolist())


def test_a_component_with_a_flat_likelihood_has_no_interval(fit):
    covariance = fit.covariance.copy()
    covariance[-2, -2] = 1.1**2
    flat = replace(fit, covariance=covariance)
    components = components_table(flat, np.arange(7.0))

    assert components.loc["annotator", ["low", "high"]].isna().all()
    assert components.loc["context", ["low", "high"]].notna().all()
    notes = list(list_notes(flat, components, SCALE, ""))
    assert "component annotator is uncertain: much lower and much higher" in notes[0]


def test_the_order_of_the_rows_does_not_matter(sample, effects):
    shuffled = estimate(sample.sample(frac=1, random_state=1), n_draws=1000)

    columns = ["raw", "change", "latent", "sign_error"]
    found, expected = shuffled.pairs[columns], effects.pairs[columns]
    pd.testing.assert_frame_equal(found, expected, rtol=0, atol=1e-5)


def test_a_pair_with_equal_ratings_has_a_change_near_0_and_an_interval(sample):
    equal = sample.assign(rating=sample["rating"].where(sample["pair"] != 3, 6))
    pair = estimate(equal).pairs.loc[3]

    assert pair.notna().all()
    assert pair["raw"] == 0
    assert pair["low"] < 0 < pair["high"]
    assert abs(pair["change"]) < 0.5


def test_one_questionnaire_has_no_component(sample):
    found = estimate(sample.assign(group="Q"))

    assert found.components.loc["questionnaire"].isna().all()
    assert found.components["share"].sum() == pytest.approx(1)
    assert found.questionnaires.loc["Q"].isna().tolist() == [False, True, True, True, True]
    assert (
        "questionnaire     –              –         –       –  questionnaires rated"
        in render_effects(found)
    )
    assert "effects of questionnaires were not estimated: there is only one" in found.notes[0]


def test_other_scales_and_limits(sample):
    reversed_study = sample.assign(rating=3 - sample["rating"])
    found = estimate(reversed_study, Scale(-3, 4), Scale(0, 100), least=25)

    assert found.shares.index.tolist() == [5, 10, 20, 25]
    assert found.figures["least"] == 25
    assert found.pairs.loc[11, "change"] > 15
    assert found.notes[0] == "1 point of the scale −3 to 4 did not occur and counted as impossible"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"least": 0}, "above 0 and below 10, got 0"),
        ({"least": 10}, "above 0 and below 10, got 10"),
        ({"least": float("nan")}, "got nan"),
    ],
)
def test_a_least_change_outside_the_scale_is_refused(sample, options, message):
    with pytest.raises(EffectsError, match=message):
        estimate(sample, **options)


def test_an_odd_number_of_draws_is_refused(sample):
    with pytest.raises(EffectsError, match="must be even and above 0, got 5"):
        estimate(sample, n_draws=5)


@pytest.mark.parametrize(
    ("group", "reason"),
    [("pair_and_context", "only one context"), ("annotator", "only one annotator")],
)
def test_questionnaires_that_equal_another_effect_are_not_estimated(sample, group, reason):
    key = sample["pair"].astype(str) + "." + sample["context"].astype(str)
    table = sample.assign(pair_and_context=key)
    design = design_study(table.assign(group=table[group]), Scale())

    assert find_obstacle(design) == f"most questionnaires have {reason}"


def test_the_text_names_the_main_figures(effects):
    text = render_effects(effects)

    assert text.startswith(
        "240 ratings of 24 pairs by 20 annotators in 4 questionnaires, as given\n"
    )
    assert "context        1.27      0.80–2.01" in text
    shares = r"  0\.5: 69\s% \(\d+–\d+\s%\), 1: 51\s% \(\d+–\d+\s%\), 2: 25\s%"
    assert re.search(shares, text)
    assert "The sign of the change is clear for 2 of 24 pairs; of these, 0.03 are" in text
    assert "note: the standard deviation of the component questionnaire is uncertain" in text


def test_the_figures_for_json_have_no_table_of_pairs(effects):
    figures = list_figures(effects)

    assert list(figures) == [
        "figures", "components", "shares", "annotators", "questionnaires", "thresholds", "notes",
    ]  # fmt: skip
    assert [one["component"] for one in figures["components"]] == [
        "pair", "context", "annotator", "questionnaire", "noise",
    ]  # fmt: skip
    assert figures["annotators"][0]["annotator"] == "A1"
