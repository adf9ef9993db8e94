import pandas as pd
import pytest


@pytest.fixture
def ratings_of():
    """Make a ratings table of one group from each annotator's ratings of context 1 of pair 1, 2, …

    None stands for an item that the annotator did not rate.
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
