from datetime import timedelta

import pytest

from surveys.models import AuditEntry
from surveys.sharedtasks.errors import TeamRefused
from surveys.sharedtasks.models import SharedTaskState
from surveys.sharedtasks.teams.description import (
    accept_terms,
    describe_team,
    has_accepted_terms,
    list_missing,
)
from tests.factories.sharedtasks import START, make_shared_task, make_team

pytestmark = pytest.mark.django_db

LATER = START + timedelta(days=1)
COMPLETE = {
    "system": "Beaver 2",
    "summary": "Layer 17 of a *large* model.",
    "models_used": "xlm-roberta-large",
    "resources": "none",
    "contact": "eva@example.org",
    "publishes_scores": True,
}


@pytest.fixture
def with_terms():
    return make_team(make_shared_task(terms="Be fair."))


def test_a_description_is_complete_with_all_that_is_required(with_terms):
    assert len(list_missing(with_terms)) == len(COMPLETE)

    half = describe_team(with_terms, {"system": "Beaver 2"}, now=START)
    whole = describe_team(with_terms, COMPLETE, now=LATER)

    assert (half.described_at, list_missing(half)[0]) == (None, "what the system does")
    assert (whole.described_at, list_missing(whole)) == (LATER, [])


def test_a_description_that_loses_a_part_is_complete_no_more(with_terms):
    describe_team(with_terms, COMPLETE, now=START)

    assert describe_team(with_terms, {"publishes_scores": False}, now=LATER).described_at is None
    assert describe_team(with_terms, {"publishes_scores": True}, now=LATER).described_at == LATER


def test_the_time_of_completion_stays(with_terms):
    describe_team(with_terms, COMPLETE, now=START)

    again = describe_team(with_terms, {**COMPLETE, "code_url": "https://example.org"}, now=LATER)

    assert (again.described_at, again.code_url) == (START, "https://example.org")
    assert AuditEntry.objects.filter(action="team.described").count() == 2


def test_the_same_description_is_no_change(with_terms):
    describe_team(with_terms, COMPLETE, now=START)
    describe_team(with_terms, COMPLETE, now=LATER)

    (entry,) = AuditEntry.objects.filter(action="team.described")
    assert entry.details == {"changed": sorted(COMPLETE)}


def test_a_description_is_open_until_the_boards_are_final(with_terms):
    with_terms.shared_task.state = SharedTaskState.FINALISED
    with_terms.shared_task.save()

    with pytest.raises(TeamRefused, match="final"):
        describe_team(with_terms, COMPLETE, now=START)

    with_terms.refresh_from_db()
    assert with_terms.system == ""


def test_other_fields_of_a_team_are_no_part_of_its_description(with_terms):
    with pytest.raises(TeamRefused, match="no state"):
        describe_team(with_terms, {"state": "excluded"}, now=START)


def test_terms_that_changed_are_accepted_again(with_terms):
    assert not has_accepted_terms(with_terms)
    with_terms = accept_terms(with_terms, now=START)
    accept_terms(with_terms, now=LATER)

    assert has_accepted_terms(with_terms)
    assert with_terms.accepted_terms_at == START
    with_terms.shared_task.terms = "Be very fair."
    assert not has_accepted_terms(with_terms)


def test_without_terms_there_is_nothing_to_accept():
    assert has_accepted_terms(make_team(make_shared_task()))
