"""Who sees which scores, with how many digits, and under which names."""

import pytest
from django.utils import timezone

from surveys.sharedtasks.models import FrozenBoard, Scoring
from surveys.sharedtasks.scoring.visibility import (
    ANYBODY,
    Viewer,
    may_see_scores,
    name_published,
    round_figure,
    show_figures,
    shows_code,
)
from tests.factories.sharedtasks import make_phase, make_team

pytestmark = [pytest.mark.django_db, pytest.mark.shared_task(has_data=False)]
ORGANISER = Viewer(is_organiser=True)


@pytest.fixture
def other_team(shared_task):
    return make_team(shared_task, "Herons")


def freeze(phase):
    scoring = Scoring.objects.create(shared_task=phase.shared_task, number=1)
    FrozenBoard.objects.create(phase=phase, subtask=1, scoring=scoring, body="{}", sha256="a" * 64)


def publish(shared_task):
    shared_task.state, shared_task.published_at = "published", timezone.now()
    shared_task.save()


@pytest.mark.parametrize(
    ("visibility", "own", "others"),
    [("hidden", False, False), ("own", True, False), ("board", True, True)],
)
def test_scores_before_publishing(shared_task, team, other_team, visibility, own, others):
    phase = make_phase(shared_task, visibility=visibility)

    seen = [may_see_scores(phase, one, team) for one in (Viewer(team), Viewer(other_team), ANYBODY)]

    assert seen == [own, others, others]
    assert may_see_scores(phase, ORGANISER, team)
    assert [may_see_scores(phase, one) for one in (Viewer(team), ANYBODY, ORGANISER)] == [
        others, others, True,
    ]  # fmt: skip


def test_final_scores_are_seen_by_everybody_once_published(shared_task, team):
    phase, later = make_phase(shared_task), make_phase(shared_task, "later")
    freeze(phase)
    assert not may_see_scores(phase, Viewer(team), team)

    publish(shared_task)

    assert may_see_scores(phase, ANYBODY)
    assert not may_see_scores(later, ANYBODY)


@pytest.mark.parametrize("visibility", ["hidden", "own"])
def test_scores_of_a_phase_without_an_end_are_seen_by_everybody_with_the_gold(
    shared_task, team, visibility
):
    phase = make_phase(shared_task, "after", visibility=visibility, closes_at=None)
    assert not may_see_scores(phase, ANYBODY)

    publish(shared_task)

    assert may_see_scores(phase, ANYBODY)
    shared_task.state = "finalised"  # taken back
    assert not may_see_scores(phase, ANYBODY)


def test_a_draft_shows_nothing(team, shared_task):
    phase = make_phase(shared_task, visibility="board")
    shared_task.state = "draft"
    phase.shared_task = shared_task

    assert not may_see_scores(phase, Viewer(team), team)


def test_figures_are_scores_with_three_decimals_until_the_gold_is_public(shared_task):
    phase = make_phase(shared_task, visibility="board")
    figures = {"score": 0.61249999, "low": 0.3, "pearson": 0.2, "spearman": 0.3, "n": 24}

    assert show_figures(figures, phase) == {"score": 0.612, "low": None, "n": 24}

    publish(shared_task)
    assert show_figures(figures, phase) == figures


def test_figures_of_practice_data_are_whole(shared_task):
    phase = make_phase(shared_task, "practice", data="practice", visibility="own")

    assert show_figures({"score": 0.61249999}, phase) == {"score": 0.61249999}


@pytest.mark.parametrize(("figure", "shown"), [(0.0005, 0.001), (-0.0005, -0.001), (0.1235, 0.124)])
def test_halves_are_rounded_away_from_zero(figure, shown):
    assert round_figure(figure) == shown


def test_codes_stand_for_names_until_published(shared_task):
    shared_task.names = "codes"
    team = {"kind": "team", "publishes_scores": True}
    assert shows_code(shared_task, hides_name=False, **team)

    publish(shared_task)
    assert not shows_code(shared_task, hides_name=False, **team)
    assert shows_code(shared_task, hides_name=True, **team)


@pytest.mark.parametrize(
    ("kind", "is_required", "is_named"),
    [("team", True, False), ("team", False, True), ("trial", True, True)],
)
def test_names_are_published_by_consent(shared_task, kind, is_required, is_named):
    shared_task.requires_description = is_required
    silent = make_team(shared_task, "Voles", kind=kind)
    consent = {"kind": kind, "hides_name": False, "publishes_scores": False}
    assert not shows_code(shared_task, **consent)

    publish(shared_task)
    assert shows_code(shared_task, **consent) is not is_named
    assert name_published(silent) == ("Voles" if is_named else silent.code)
    silent.publishes_scores = True
    assert name_published(silent) == "Voles"
