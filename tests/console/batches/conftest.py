import pytest

from tests.console.crowded import make_crowd, make_roomy_study, sign_in_owner


@pytest.fixture
def study(db):
    return make_roomy_study()


@pytest.fixture
def client(study):
    return sign_in_owner(study)


@pytest.fixture
def batch(client, study):
    return make_crowd(study)
