"""Datasets of simulated ratings."""

from collections.abc import Mapping

import pandas as pd

from postprocess.formats.stimuli import ParsedStimuli
from postprocess.pipeline import Dataset, build_dataset
from postprocess.steps.recipe import read_recipe
from tests.factories.ratings import simulate_study
from tests.factories.stimuli_rows import parse_rows, row_with

LITTLE_CHANCE = ("report.n_resamples=20", "report.n_splits=5")  # so that tests are quick
# Options of the command release_dataset, for the same reason.
BRIEFLY = ("--no-report", *(f"--set={change}" for change in LITTLE_CHANCE))
INPUTS = {"ratings": "1" * 64, "stimuli": "2" * 64}


def stimuli_for(n_pairs: int) -> ParsedStimuli:
    return parse_rows(*(row_with(word1=f"bank{i}") for i in range(n_pairs)))


def dataset_of(
    ratings: pd.DataFrame | None = None,
    recipe: str = "cosimlex",
    *changes: str,
    details: pd.DataFrame | None = None,
    inputs: Mapping[str, str] = INPUTS,
) -> Dataset:
    ratings = simulate_study() if ratings is None else ratings
    return build_dataset(
        stimuli_for(int(ratings["pair"].max())),
        ratings,
        language="sl",
        recipe=read_recipe(recipe, [*LITTLE_CHANCE, *changes]),
        inputs=inputs,
        details=details,
    )
