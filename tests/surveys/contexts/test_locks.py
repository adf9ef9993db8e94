"""Each action on contexts from corpora locks its rows."""

from types import SimpleNamespace

import pytest
from django.contrib.auth.models import User

from surveys.contexts.choices import Chosen
from surveys.contexts.models import CandidatePair, SearchKind, SkipReason
from tests.factories.selections import make_draft
from tests.factories.studies import make_run
from tests.surveys import locking

LOCKS = locking.read_table(
    ("surveys.contexts.candidates", "Study", "import_candidates"),
    ("surveys.contexts.candidates", "Study CandidatePair", "add_candidates"),
    ("surveys.contexts.choices", "CandidatePair", "record_choice undo_choice"),
    ("surveys.contexts.choices", "CandidateSet", "configure_selection"),
    ("surveys.contexts.queue", "CandidateSet", "claim_next"),
    ("surveys.contexts.search.requests", "Study", "request_search request_more"),
    ("surveys.contexts.search.requests", "Run", "cancel_search"),
    ("surveys.contexts.stimuli", "Study", "use_as_stimuli"),
)


def make_rows() -> locking.Rows:
    """Make a draft with candidates, and what is in it, by the names of parameters."""
    ana = User.objects.create_user("ana")
    study = make_draft(ana)
    return {
        "study": study, "pair": CandidatePair.objects.filter(study=study)[0], "expert": ana,
        "checked": SimpleNamespace(errors=[], rows=[], origin={}), "by": ana, "is_double": True,
        "chosen": Chosen(reason=SkipReason.values[0]), "shows_scores": True, "number": 1,
        "request": SimpleNamespace(corpora=["none"]), "corpora": ["none"], "filters": [],
        "run": make_run(study, SearchKind.SEARCH),
    }  # fmt: skip


@pytest.mark.every_database
@pytest.mark.django_db
@locking.needs_row_locks
def test_each_action_locks_its_rows():
    rows = make_rows()

    assert {case: locking.list_locked(case, rows) for case in LOCKS} == LOCKS


def test_each_action_that_locks_is_in_the_table():
    assert locking.find_missing(LOCKS, lambda name: name.startswith("surveys.contexts.")) == {}
