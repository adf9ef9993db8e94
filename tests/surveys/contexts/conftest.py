from pathlib import Path

import pytest
from django.contrib.auth.models import User

from surveys.contexts.models import CandidatePair
from surveys.models import Study
from tests.factories.corpora import write_corpora
from tests.factories.selections import make_draft


@pytest.fixture
def draft(ana) -> Study:
    """A draft with two pairs of three candidates each."""
    return make_draft(ana)


@pytest.fixture
def corpora(tmp_path, settings) -> Path:
    """The folder of this site's corpora: a file, and a folder with two files."""
    settings.CORPORA_DIR = write_corpora(tmp_path / "corpora")
    settings.VAR_DIR = tmp_path / "var"
    return settings.CORPORA_DIR


@pytest.fixture
def pair(draft) -> CandidatePair:
    """The first pair of that draft."""
    return draft.candidate_pairs.first()


@pytest.fixture
def bea(db) -> User:
    return User.objects.create_user("bea")
