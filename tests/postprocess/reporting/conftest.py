import pytest

from postprocess.reporting.page import render_page
from tests.factories.datasets import dataset_of
from tests.factories.ratings import rate, simulate_study
from tests.postprocess.reporting.pages import HOSTILE, draw_plates


@pytest.fixture(scope="session")
def dataset():
    return dataset_of()


@pytest.fixture(scope="session")
def plates(dataset):
    """Figures for pages whose tables and text are tested, since drawing takes longest."""
    return draw_plates(dataset)


@pytest.fixture(scope="session")
def page(dataset, plates):
    return render_page(dataset, plates)


@pytest.fixture(scope="session")
def bare_page(plates):
    """The page of ratings by one annotator, without groups and details."""
    rows = [(pair, context, "A", pair + context) for pair in (1, 2) for context in (1, 2)]
    return render_page(dataset_of(rate(*rows), "raw"), plates)


@pytest.fixture(scope="session")
def hostile_page():
    ratings = simulate_study()
    hostile = ratings.assign(annotator=ratings["annotator"] + HOSTILE, group=HOSTILE)
    dataset = dataset_of(hostile)
    return render_page(dataset, draw_plates(dataset))
