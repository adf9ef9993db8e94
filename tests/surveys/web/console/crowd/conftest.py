import pytest

from tests.factories.batch_states import make_crowd, make_large_study, sign_in_owner


@pytest.fixture
def study(db):
    return make_large_study()


@pytest.fixture
def client(study):
    return sign_in_owner(study)


@pytest.fixture
def batch(client, study):
    return make_crowd(study)
