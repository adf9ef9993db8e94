from dataclasses import replace
from functools import partial

import numpy as np
import pandas as pd
import pytest

from postprocess.reporting import assessment
from postprocess.reporting.assessment import allot_chance, as_given, assess
from postprocess.reporting.report import plain_report
from postprocess.statistics.agreement.by_group import FIGURES, agreement_table
from postprocess.statistics.agreement.reliability import (
    change_reliability,
    change_reliability_from_scores,
)
from postprocess.statistics.change import paired_pvalues
from postprocess.statistics.change_size import change_size
from postprocess.statistics.confounds import find_confounds, measure_contexts
from postprocess.steps.recipe import ReportSection
from postprocess.steps.single_steps import (
    aggregate_ratings,
    calibrate_and_filter,
    rescale_ratings,
)
from postprocess.table.details import join_details
from postprocess.table.ratings import Scale
from tests.factories.datasets import LITTLE_CHANCE, dataset_of, stimuli_for
from tests.factories.ratings import outcome_of, rate, simulate_study

CHANCE = {"n_resamples": 20, "n_splits": 5, "seed": 0, "resample": "items"}
ROWS = stimuli_for(24).rows


def details_of(ratings, seed=3):
    rng = np.random.default_rng(seed)
    return ratings[["pair", "context", "annotator"]].assign(
        block=np.where(ratings["pair"] > 12, "2", "1"),
        pos=np.where(ratings["pair"] % 2 == 1, "noun", "verb"),
        position=ratings["pair"].astype(float),
        seconds=rng.lognormal(2, 1, len(ratings)).round(2),
    )


@pytest.fixture(scope="module")
def assessed():
    return outcome_of(simulate_study(), "cosimlex", *LITTLE_CHANCE)


@pytest.fixture(scope="module")
def found(assessed):
    return assess(assessed, ROWS, assessed.used)


@pytest.fixture(scope="module")
def detailed(assessed):
    return assess(assessed, ROWS, join_details(assessed.used, details_of(simulate_study())))


def test_agreement_is_computed_after_and_before_the_steps(assessed, found):
    agreement = found["agreement"]
    after = agreement_table(assessed.used, **CHANCE).drop(columns="by")
    before = agreement_table(as_given(assessed), by=[], **CHANCE).drop(columns="by")

    assert agreement["by"] == {"group": after.iloc[:-1].to_dict("records")}
    assert agreement["overall"] == after.iloc[-1].to_dict()
    assert agreement["as_given"] == before.iloc[-1].to_dict()
    assert agreement["overall"]["human"] > agreement["as_given"]["human"]
    assert agreement["not_known"] == ["block", "pos"]
    assert {name: agreement[name] for name in CHANCE} == CHANCE


def test_agreement_is_reported_by_known_columns(detailed):
    agreement = detailed["agreement"]

    assert [one["name"] for one in agreement["by"]["block"]] == ["1", "2"]
    assert [one["name"] for one in agreement["by"]["pos"]] == ["noun", "verb"]
    assert agreement["not_known"] == []


def test_agreement_over_annotators_repeats_the_steps(assessed):
    recipe = assessed.recipe
    section = recipe.report.model_copy(update={"resample": "items and annotators"})
    over_both = replace(assessed, recipe=recipe.model_copy(update={"report": section}))
    details = details_of(simulate_study())
    used, given = (join_details(one, details) for one in (assessed.used, as_given(assessed)))
    chance = CHANCE | {"resample": "items and annotators"}

    agreement = assess(over_both, ROWS, used, details)["agreement"]

    process = partial(calibrate_and_filter, recipe=recipe)
    after = agreement_table(given, by=["block"], process=process, **chance).drop(columns="by")
    assert agreement["by"]["block"] == after.iloc[:-1].to_dict("records")
    assert agreement["overall"] == after.iloc[-1].to_dict()
    before = agreement_table(given, by=[], **chance).drop(columns="by")
    assert agreement["as_given"] == before.iloc[-1].to_dict()


def test_as_given_is_none_if_no_step_changed_anything(assessed):
    plain = outcome_of(simulate_study(odd=False), "raw", *LITTLE_CHANCE)

    assert as_given(plain) is None
    assert assess(plain, ROWS, plain.used)["change"]["as_given"] is None
    given = as_given(assessed)
    assert len(given) == len(assessed.ledger)
    assert given["rating"].tolist() == assessed.ledger["rating"].tolist()


def test_change_is_the_reliability_of_both_and_by_formula(assessed, found):
    change = found["change"]
    for kind, ratings in (("used", assessed.used), ("as_given", as_given(assessed))):
        table = change_reliability(
            ratings, rng=np.random.default_rng(0), n_splits=5, n_resamples=20
        )
        assert change[kind] == table.reset_index().to_dict("records")
    given = aggregate_ratings(
        rescale_ratings(as_given(assessed), Scale(0, 6), Scale(0, 10)), len(assessed.scores)
    )
    assert change["size"] == change_size(assessed.scores)._asdict()
    assert change["size_as_given"] == change_size(given)._asdict()
    assert change["by_formula"] == change_reliability_from_scores(assessed.scores)
    assert (change["n_both"], change["paired"]) == (0, [])


def test_change_has_the_paired_test_of_annotators_of_both_contexts():
    rng = np.random.default_rng(1)
    rows = [
        (pair, context, f"A{number}", int(rng.integers(0, 7)))
        for pair in (1, 2, 3)
        for context in (1, 2)
        for number in range(6)
        if pair != 3 or (number < 3) == (context == 1)
    ]
    outcome = outcome_of(rate(*rows, group="1"), "raw", *LITTLE_CHANCE)

    change = assess(outcome, ROWS, outcome.used)["change"]

    used = outcome.used[outcome.used["pair"] < 3]
    assert change["paired"] == paired_pvalues(used).reset_index().to_dict("records")
    assert [one["n_both"] for one in change["paired"]] == [6, 6]
    assert change["n_both"] == 6


def test_confounds_list_the_missing_columns(assessed, found):
    expected = find_confounds(
        assessed.scores, measure_contexts(ROWS), rng=np.random.default_rng(0), n_resamples=20
    )

    assert pd.DataFrame(found["confounds"]["table"]).equals(expected)
    assert found["confounds"]["not_known"] == [
        {"confound": "position", "column": "position"},
        {"confound": "seconds", "column": "seconds"},
        {"confound": "annotator_seconds", "column": "seconds"},
    ]


def test_confounds_of_ratings_need_their_columns(detailed):
    confounds = detailed["confounds"]

    asked = [one["confound"] for one in confounds["table"] if one["outcome"] == "rating"]
    assert asked == ["seconds", "position", "annotator_seconds"]
    assert confounds["not_known"] == []


def test_divided_lists_two_camps_with_their_words():
    camps = [(1, 1, f"A{i}", 6 * (i % 2)) for i in range(10)]
    calm = [(1, 2, f"B{i}", 3) for i in range(10)]
    outcome = outcome_of(rate(*camps, *calm), "raw", *LITTLE_CHANCE)

    divided = assess(outcome, ROWS, outcome.used)["divided"]

    (one,) = divided["contexts"]
    assert (one["pair"], one["context"], one["ratings"]) == (1, 1, "5 0 0 0 0 0 5")
    assert one["words"] == f"{ROWS[0][0]}, {ROWS[0][1]}"
    assert (divided["n_contexts"], divided["obstacle"]) == (2, "")


def test_divided_names_the_obstacle():
    outcome = outcome_of(
        rate((1, 1, "A", 0.5), (1, 2, "B", 3)), "raw", "scale.step=0.1", *LITTLE_CHANCE
    )

    divided = assess(outcome, ROWS, outcome.used)["divided"]

    assert (divided["contexts"], divided["n_contexts"]) == ([], 0)
    assert divided["obstacle"].startswith("two camps can be found on 3 to 21 points")


def test_allot_chance_limits_the_cost_of_large_data():
    wanted = ReportSection(n_resamples=1000, n_splits=300, seed=4)

    assert allot_chance(wanted, 1000)[:3] == (1000, 300, 4)
    assert allot_chance(wanted, 40_000)[:3] == (125, 300, 4)
    assert allot_chance(wanted, 60_000)[:3] == (0, 300, 4)  # 83 would be too few
    assert allot_chance(wanted, 10_000_000)[:3] == (0, 20, 4)
    assert allot_chance(ReportSection(n_resamples=30), 60_000).n_resamples == 30
    assert allot_chance(ReportSection(n_resamples=0, n_splits=1), 100)[:3] == (0, 1, 0)


def test_allot_chance_uses_the_resampling_of_the_recipe():
    wanted = ReportSection(resample="items and annotators")

    assert allot_chance(wanted, 1000).resample == "items and annotators"
    assert allot_chance(ReportSection(), 1000).resample == "items"


def test_assess_omits_intervals_for_many_ratings(monkeypatch):
    monkeypatch.setattr(assessment, "MAX_RESAMPLED", 1000)
    outcome = outcome_of(simulate_study())

    found = plain_report(assess(outcome, ROWS, outcome.used))

    assert set(FIGURES) <= set(found["agreement"]["overall"])
    assert not [name for name in found["agreement"]["overall"] if name.endswith("_low")]
    assert {one["low"] for one in found["confounds"]["table"]} == {None}
    assert found["change"]["used"][0]["ceiling_low"] is None


def test_report_does_not_depend_on_the_order_of_rows():
    ratings = simulate_study()
    details = details_of(ratings)
    mixed = ratings.sample(frac=1, random_state=1), details.sample(frac=1, random_state=2)

    one = dataset_of(ratings, details=details)
    other = dataset_of(mixed[0], details=mixed[1])

    assert one.files == other.files
    assert one.parts_of_speech.to_dict() == other.parts_of_speech.to_dict()
    assert one.files["scores.tsv"] == dataset_of(ratings).files["scores.tsv"]
    assert one.files["report.json"] != dataset_of(ratings).files["report.json"]
