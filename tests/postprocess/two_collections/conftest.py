import pytest

from tests.factories.collections import compare_crowds


@pytest.fixture(scope="session")
def comparison():
    """The comparison of two simulated crowds."""
    return compare_crowds()
