"""Correlations without noise in tables and tiles."""

import math

import pytest

from postprocess.reporting.two_collections.tables import tabulate_correlations, tabulate_summary
from postprocess.two_collections.comparing import compare_collections
from tests.factories.collections import BRIEF, collection_of, compare_crowds
from tests.factories.ratings import simulate_study

NAN = math.nan


def test_a_missing_interval_of_a_single_block_has_its_reason():
    sides = (collection_of(simulate_study(24, seed=seed), name) for seed, name in enumerate("AB"))

    rows = tabulate_correlations(compare_collections(*sides, wanted=BRIEF)).rows

    given = [row[6] for row in rows if not row[6].startswith("not estimable")]
    assert given
    assert all(one.endswith("\nno interval: one block") for one in given)


@pytest.mark.parametrize(
    ("found", "shown", "with_interval"),
    [
        ((0.6, 0.75, 0.5, 0.9), "0.75", "0.75\n0.50–0.90"),
        ((0.6, 0.95, 0.8, 1.1), "0.95", "0.95\n0.80–1.00"),
        ((-0.6, -0.95, -1.2, -0.5), "−0.95", "−0.95\n−1.00 to −0.50"),
        ((0.6, 0.75, NAN, NAN), "0.75", "0.75"),
        ((0.6, 1.0, 0.9, 1.1), "1.00", "1.00\n0.90–1.00"),
        ((0.6, 1.2, 0.9, 1.5), "not estimable: beyond the ceiling of 0.50", ""),
        ((-0.3, -3.0, -9.0, 2.0), "not estimable: beyond the ceiling of 0.10", ""),
        ((0.6, NAN, NAN, NAN), "not estimable: too little agreement", ""),
        ((0.6, None, None, None), "not estimable: too little agreement", ""),
    ],
)
def test_a_correlation_without_noise_is_a_correlation_or_has_a_reason(found, shown, with_interval):
    comparison = compare_crowds(6)
    names = ("correlation", "disattenuated", "disattenuated_low", "disattenuated_high")
    for row in comparison.report["correlations"]:
        row |= dict(zip(names, found, strict=True))

    tiles = tabulate_summary(comparison.report)
    column = [row[6] for row in tabulate_correlations(comparison).rows]

    assert (tiles["scores: without noise"], tiles["changes: without noise"]) == (shown, shown)
    assert column == [with_interval or shown] * 5


def test_a_correlation_without_ratings_is_not_corrected():
    comparison = compare_crowds(6)
    for row in comparison.report["correlations"]:
        row |= {"disattenuated": NAN, "corrected_for": ""}

    assert tabulate_summary(comparison.report)["scores: without noise"] == "–"
