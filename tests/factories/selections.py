"""Drafts that begin with candidates, for tests."""

from typing import Any

from django.contrib.auth.models import User

from surveys.contexts.candidates import begin_study, check_candidates
from surveys.models import Study
from tests.factories.candidates import candidates_file


def make_draft(
    owner: User, n_pairs: int = 2, n_candidates: int = 3, slug: str = "words", **changed: Any
) -> Study:
    """Return a draft without stimuli that has candidates."""
    design = Study(slug=slug, language="en", ratings_per_context=2)
    checked = check_candidates(candidates_file(n_pairs, n_candidates, **changed))
    return begin_study(checked, design, owner, file_name="candidates.parquet")
