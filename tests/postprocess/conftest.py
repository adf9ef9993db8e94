import numpy as np
import pandas as pd
import pytest

from tests.machine import SHARED
from tests.postprocess.auditing.corrupting import write_dataset


@pytest.fixture
def dataset_folder(tmp_path):
    return write_dataset(tmp_path)


@pytest.fixture
def ratings_of():
    """Make a ratings table of one group from each annotator's ratings of context 1 of pair 1, 2, …

    None is an item that the annotator did not rate.
    """

    def make(group="1", **by_annotator):
        rows = [
            (pair, 1, annotator, rating, group)
            for annotator, ratings in by_annotator.items()
            for pair, rating in enumerate(ratings, 1)
            if rating is not None
        ]
        return pd.DataFrame(rows, columns=["pair", "context", "annotator", "rating", "group"])

    return make


@pytest.fixture
def simulated():
    """Make ratings of four groups of two blocks, one of which has gaps.

    Questionnaires A and B of a block have the two contexts of its 20 pairs and different
    annotators.
    """

    def make(seed=0):
        rng = np.random.default_rng(seed)
        rows = []
        for block, letter in [(b, q) for b in (1, 2) for q in "AB"]:
            people = [f"{block}{letter}{n:02}" for n in range(5 + (letter == "B"))]
            bias = rng.normal(0, 0.5, len(people))
            for pair in range(20 * (block - 1) + 1, 20 * block + 1):
                context = 1 + (pair + (letter == "B")) % 2
                true = rng.uniform(0, 6)
                for name, own in zip(people, bias, strict=True):
                    rating = np.clip(np.rint(true + own + rng.normal(0, 1)), 0, 6)
                    if not (block == 2 and letter == "B" and rng.random() < 0.15):
                        pos = "NV"[pair % 2]
                        rows.append((pair, context, name, rating, f"{block}{letter}", block, pos))
        columns = ["pair", "context", "annotator", "rating", "group", "block", "pos"]
        return pd.DataFrame(rows, columns=columns)

    return make


@pytest.fixture(scope="session")
def wordsim_table():
    """WordSim-353, set 1, as published: 153 pairs (rows) by annotators (columns)."""
    path = SHARED / "wordsim353" / "set1.csv"
    if not path.is_file():
        pytest.skip("WordSim-353 is not on this machine")
    table = pd.read_csv(path)
    return table.set_index(pd.RangeIndex(1, len(table) + 1, name="pair"))


@pytest.fixture(scope="session")
def wordsim_means(wordsim_table):
    return wordsim_table["Human (mean)"]


@pytest.fixture(scope="session")
def wordsim(wordsim_table):
    """WordSim-353, set 1, as ratings of one group: 13 annotators, 0–10."""
    people = wordsim_table[[str(number) for number in range(1, 14)]]
    ratings = people.rename(columns=lambda name: f"A{int(name):02}").melt(
        var_name="annotator", value_name="rating", ignore_index=False
    )
    return ratings.reset_index().assign(context=1, group="1")
