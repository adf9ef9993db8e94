import pytest

from postprocess.release import assembling
from tests.postprocess.release.releases import release


@pytest.fixture
def one_dataset(monkeypatch):
    """Build no dataset, which no description changes: releases of the test have the same one."""
    dataset = release().dataset
    monkeypatch.setattr(assembling, "build_dataset", lambda *_arguments, **_options: dataset)
