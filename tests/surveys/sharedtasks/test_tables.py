"""What the database refuses of a shared task."""

from datetime import timedelta

import pytest
from django.db import IntegrityError, transaction

from surveys.sharedtasks.models import (
    Scoring,
    ScoringState,
    Submission,
    SubmissionState,
    Team,
    TeamMember,
)
from tests.factories.sharedtasks import START, make_part, make_phase, make_team

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.every_database,
    pytest.mark.shared_task(has_data=False),
]


def submit(phase, team, number=1, digest="a" * 64, **fields):
    return Submission.objects.create(
        phase=phase, team=team, number=number, digest=digest, sent_at=START, **fields
    )


def refuses(make, *arguments, **fields):
    with pytest.raises(IntegrityError), transaction.atomic():
        make(*arguments, **fields)


def test_a_language_has_one_part(shared_task):
    make_part(shared_task)

    refuses(make_part, shared_task)


def test_practice_data_have_gold(shared_task):
    refuses(make_part, shared_task, practice_data="sharedtasks/a", n_practice=3)


def test_a_phase_ends_after_it_begins(shared_task):
    refuses(make_phase, shared_task, closes_at=START - timedelta(seconds=1))


def test_the_best_submission_counts_only_where_scores_are_seen(shared_task):
    refuses(make_phase, shared_task, counting="best", visibility="hidden")

    assert make_phase(shared_task, counting="best", visibility="own").pk


def test_a_phase_runs_from_its_first_second_until_its_end(phase):
    second = timedelta(seconds=1)

    assert [
        phase.is_running(at)
        for at in (START - second, START, phase.closes_at - second, phase.closes_at)
    ] == [False, True, True, False]
    assert phase.shared_task.phases.running(phase.closes_at).count() == 0
    assert phase.shared_task.phases.running(phase.closes_at - second).count() == 1


def test_names_of_teams_differ_in_more_than_case(shared_task, team):
    refuses(Team.objects.create, shared_task=shared_task, name="OTTERS", name_key="otters")


def test_a_person_is_in_one_team_of_a_shared_task(shared_task, team):
    other = make_team(shared_task, "Herons")
    person = team.members.get().participant

    refuses(TeamMember.objects.create, shared_task=shared_task, team=other, participant=person)


def test_the_same_predictions_are_sent_once(phase, team):
    submit(phase, team)

    refuses(submit, phase, team, number=2)
    refuses(submit, phase, team, digest="b" * 64)


def test_a_cancelled_submission_may_be_sent_again_and_is_no_attempt(phase, team):
    submit(phase, team, state=SubmissionState.CANCELLED)
    submit(phase, team, number=2)
    submit(phase, team, number=3, digest="b" * 64, state=SubmissionState.WITHDRAWN)

    assert phase.submissions.attempts().count() == 2


def test_one_scoring_is_current(shared_task):
    Scoring.objects.create(shared_task=shared_task, number=1, state=ScoringState.CURRENT)

    refuses(Scoring.objects.create, shared_task=shared_task, number=2, state=ScoringState.CURRENT)


def test_submissions_without_scores_are_found(shared_task, phase, team):
    scoring = Scoring.objects.create(shared_task=shared_task, number=1)
    stored = submit(phase, team)
    submit(phase, team, number=2, digest="b" * 64, state=SubmissionState.CANCELLED)

    assert list(Submission.objects.without_scores(scoring)) == [stored]
