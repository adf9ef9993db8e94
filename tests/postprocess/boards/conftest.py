import io

import numpy as np
import pandas as pd
import pytest

from postprocess.boards.entries import Entry, Kind, Rules
from postprocess.boards.making import make_board
from postprocess.formats.files import render_gold
from postprocess.formats.stimuli import load_stimuli
from postprocess.formats.tokens import locate_targets
from postprocess.scoring.figures import score_predictions
from postprocess.scoring.metrics import CHANGES, SIMILARITIES, Metric
from tests.machine import COSIMLEX
from tests.postprocess.boards.systems import LANGUAGES, compare_forms, draw_figures, read_tsv


@pytest.fixture(scope="session")
def published_scores():
    """Return gold scores, and the predictions of systems, by language."""
    if not COSIMLEX.exists():
        pytest.skip("not in a clone: ../shared")
    found = {}
    for language in LANGUAGES:
        dataset = read_tsv(COSIMLEX / f"cosimlex_{language}.csv")
        scores = dataset[["sim1", "sim2"]]
        gold = pd.read_csv(io.StringIO(render_gold(scores)), sep="\t")
        similarities = gold.iloc[:, :2].to_numpy()
        contexts = [
            (pair.context1, pair.context2)
            for pair in load_stimuli(COSIMLEX / f"data_{language}.tsv").pairs
        ]
        forms = dataset[
            ["word1_context1", "word2_context1", "word1_context2", "word2_context2"]
        ].itertuples(index=False)
        mbert = read_tsv(COSIMLEX / f"baseline_mbert/results_subtask2_{language}.tsv")
        systems = {
            "wave": similarities + 3 * np.sin(np.arange(1, 2 * len(gold) + 1)).reshape(-1, 2),
            "form": np.array([(compare_forms(a, b), compare_forms(c, d)) for a, b, c, d in forms]),
            "distance": np.array(
                [[-locate_targets(one).distance for one in both] for both in contexts]
            ),
            "length": np.array([[-len(one.text) for one in both] for both in contexts]),
            "mbert": mbert.round(4 if language == "fi" else 9).to_numpy(),
        }
        found[language] = similarities, gold["change"].to_numpy(), systems
    return found


@pytest.fixture(scope="session")
def figures_of(published_scores):
    """Return the figures of a system and subtask by language."""

    def compute(name, subtask, languages=LANGUAGES):
        found = {}
        for language in languages:
            similarities, changes, systems = published_scores[language]
            predicted = systems[name]
            found[language] = (
                score_predictions(Metric.CHANGE, predicted[:, 1] - predicted[:, 0], changes)
                if subtask is CHANGES
                else score_predictions(Metric.HARMONIC, predicted, similarities)
            )
        return found

    return compute


@pytest.fixture(scope="session")
def gwsc(figures_of):
    """Make the board of the published data, all systems being teams or two being baselines."""

    def make(subtask=CHANGES, *, baselines=(), languages=LANGUAGES, names=()):
        rules = Rules("GWSC", "evaluation", subtask, {"fi": 24, "sl": 111})
        names = names or ("wave", "form", "distance", "length")
        entries = [
            Entry(
                name,
                figures_of(name, subtask, languages),
                Kind.BASELINE if name in baselines else Kind.TEAM,
            )
            for name in names
        ]
        return make_board(rules, entries)

    return make


@pytest.fixture
def small_board():
    """Make a board of invented systems, with everything that a board can have."""

    def make(subtask=SIMILARITIES, **changed):
        rng = np.random.default_rng(7)
        qualities = {"Alba": 3.0, "Brenta": 3.1, "Cem & Co": 0.4, "=Delta_1": 0.5}
        entries = [
            Entry(
                name,
                {
                    "fi": draw_figures(rng, 24, subtask, quality=quality, seed=1),
                    "sl": draw_figures(rng, 60, subtask, quality=quality, seed=2),
                },
                system=f"{name} 1.0",
                attempts=number,
                result=f"r{number}",
                file_sha256={"fi": "ab" * 32},
            )
            for number, (name, quality) in enumerate(qualities.items(), 1)
        ]
        lacking = draw_figures(rng, 60, subtask, quality=2.0, seed=2)
        late = draw_figures(rng, 24, subtask, quality=2.0, seed=1)
        entries += [
            Entry("Eno", {"sl": lacking}),
            Entry("Fulda", {"fi": late, "sl": lacking}, outside="late"),
            Entry(
                "distance",
                {
                    "fi": draw_figures(rng, 24, subtask, quality=0.3, seed=1),
                    "sl": draw_figures(rng, 60, subtask, quality=0.3, seed=2),
                },
                Kind.BASELINE,
            ),
        ]
        rules = Rules(
            "Invented", "evaluation", subtask, {"fi": 24, "sl": 60},
            gold_sha256={"fi": "cd" * 32}, remarks=("Scored again on 2 March: a row was wrong.",),
        )  # fmt: skip
        return make_board(rules, [*entries, *changed.get("more", ())])

    return make
