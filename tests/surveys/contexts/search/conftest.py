from pathlib import Path

import pytest
from django.contrib.auth.models import User

from surveys.contexts.candidates import begin_study
from surveys.models import Study
from tests.factories.corpora import write_corpora


@pytest.fixture
def corpora(tmp_path, settings) -> Path:
    """The folder of this site's corpora: a file, and a folder with two files."""
    settings.CORPORA_DIR = write_corpora(tmp_path / "corpora")
    settings.VAR_DIR = tmp_path / "var"
    return settings.CORPORA_DIR


@pytest.fixture
def ana(db) -> User:
    return User.objects.create_user("ana")


@pytest.fixture
def draft(ana) -> Study:
    """A draft for which candidates are still to be found."""
    return begin_study(None, Study(slug="words", language="en", ratings_per_context=2), ana)
