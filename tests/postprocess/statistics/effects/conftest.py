import numpy as np
import pandas as pd
import pytest

from postprocess.statistics.effects.design import Design, design_study
from postprocess.statistics.effects.estimate import Effects, estimate_effects
from postprocess.statistics.effects.fitting import Fit, fit_model
from postprocess.table.ratings import Scale

# Two blocks of 12 pairs, with two questionnaires and five annotators for each of them. A line has
# the annotator (questionnaire and number) and the ratings of the pairs of the block. A and C have
# context 1 of the odd pairs and context 2 of the even ones, B and D the others.
LINES = """
A1 200310251252
A2 234030350150
A3 332200231442
A4 363522563364
A5 402130342262
B1 200034242123
B2 513111454206
B3 423200131021
B4 303015453114
B5 014101212105
C1 405613210513
C2 414631010431
C3 325422331522
C4 314433102401
C5 133533113420
D1 646523130426
D2 612535542504
D3 556535103515
D4 635623260526
D5 426325130606
"""


@pytest.fixture(scope="session")
def sample() -> pd.DataFrame:
    """240 ratings, drawn from the model once."""
    rows = []
    for name, ratings in (line.split() for line in LINES.split("\n") if line):
        start, is_second = 12 * (name[0] in "CD"), name[0] in "BD"
        for pair, rating in enumerate(ratings, start):
            rows.append((pair + 1, (pair + is_second) % 2 + 1, name, int(rating), name[0]))
    return pd.DataFrame(rows, columns=["pair", "context", "annotator", "rating", "group"])


@pytest.fixture(scope="session")
def design(sample) -> Design:
    return design_study(sample, Scale())


@pytest.fixture(scope="session")
def fit(design) -> Fit:
    return fit_model(design)


@pytest.fixture(scope="session")
def effects(sample) -> Effects:
    rng = np.random.default_rng(1)
    return estimate_effects(sample, Scale(), Scale(0, 10), n_draws=1000, rng=rng)
