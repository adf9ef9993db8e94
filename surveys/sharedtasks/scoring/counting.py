"""Counted submissions: which one of a team is shown on the board, and its average."""

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from django.db.models import Count, QuerySet

from surveys.models.sharedtasks import (
    CountedSubmission,
    Counting,
    Phase,
    PhaseData,
    Scoring,
    ScoringState,
    Submission,
    SubmissionState,
    SubtaskScore,
    TaskPart,
    Team,
)

if TYPE_CHECKING:
    from postprocess.scoring.inference import Average

FIGURES = ("score", "low", "high", "pearson", "spearman", "n", "reason")
MOST_LANGUAGES = 1_000
HARMONIC = 2  # the subtask whose scores are harmonic means, of which none is below 0
Rows = TypeVar("Rows", bound="QuerySet[Any]")


class Candidate(NamedTuple):
    """A submission that may count, and its scores of a subtask by language."""

    submission: Submission
    scores: dict[str, SubtaskScore]


def count_team(team: Team, phases: Iterable[Phase] | None = None) -> None:
    """Find the submissions of a locked team that count, by the current scoring.

    Given no phases, those of all phases are found.
    """
    if phases is None:
        phases = Phase.objects.filter(submissions__team=team).distinct()
    for phase in phases:
        count_phase(phase, [team.pk])


def count_phase(phase: Phase, team_ids: Collection[int] | None = None) -> None:
    """Find the submissions of locked teams, or of all teams, that count in a phase."""
    sent = _of_teams(Submission.objects.filter(phase=phase), team_ids)
    n_attempts = dict(sent.attempts().order_by().values_list("team").annotate(Count("pk")))
    n_wanted = count_languages(phase)
    for subtask in phase.subtasks:
        rows = CountedSubmission.objects.filter(phase=phase, subtask=subtask)
        before = {row.team_id: row for row in _of_teams(rows, team_ids)}
        chosen = {pk: row.submission_id for pk, row in before.items() if row.is_chosen}
        counted = find_counted(phase, subtask, chosen, team_ids=team_ids)
        for team_id, one in counted.items():
            row = before.pop(team_id, None) or CountedSubmission(
                phase=phase, subtask=subtask, team_id=team_id
            )
            _fill(row, one, n_wanted)
            row.is_chosen = one.submission.pk == chosen.get(team_id)
            row.n_attempts = n_attempts.get(team_id, 0)
            row.save()
        CountedSubmission.objects.filter(pk__in=[row.pk for row in before.values()]).delete()


def _of_teams(rows: Rows, team_ids: Collection[int] | None) -> Rows:
    return rows if team_ids is None else rows.filter(team__in=team_ids)


def _fill(row: CountedSubmission, counted: Candidate, n_wanted: int) -> None:
    row.submission = counted.submission
    row.scores = {language: describe_score(one) for language, one in counted.scores.items()}
    average = average_of(counted.scores, n_wanted)
    row.average = average.score if average else None
    row.average_low, row.average_high = (average and average.interval) or (None, None)


def find_counted(
    phase: Phase,
    subtask: int,
    chosen: Mapping[int, int],
    *,
    scoring: Scoring | None = None,
    team_ids: Collection[int] | None = None,
) -> dict[int, Candidate]:
    """Return the submission of each team that counts, by the team's id.

    `chosen` has the ids of the submissions that teams chose. By default the scores are those of the
    current scoring, and the teams are all.
    """
    n_wanted = count_languages(phase)
    by_team: dict[int, list[Candidate]] = {}
    for one in list_candidates(phase, subtask, scoring=scoring, team_ids=team_ids):
        by_team.setdefault(one.submission.team_id, []).append(one)
    found = {
        team_id: choose_counted(phase, candidates, chosen.get(team_id), n_wanted)
        for team_id, candidates in by_team.items()
    }
    return {team_id: one for team_id, one in found.items() if one is not None}


def list_candidates(
    phase: Phase,
    subtask: int,
    *,
    scoring: Scoring | None = None,
    team_ids: Collection[int] | None = None,
) -> list[Candidate]:
    """Return the submissions in a phase with results of a subtask, those of a team by number.

    Those that wait for their scores have none.
    """
    states = (SubmissionState.STORED, SubmissionState.SCORED)
    sent = _of_teams(Submission.objects.filter(phase=phase, state__in=states), team_ids)
    scores = SubtaskScore.objects.filter(submission__in=sent, subtask=subtask)
    if scoring is None:
        scores = scores.filter(scoring__state=ScoringState.CURRENT)
    else:
        scores = scores.filter(scoring=scoring)
    found: dict[int, dict[str, SubtaskScore]] = {}
    for score in scores.select_related("part").order_by("part__language"):
        found.setdefault(score.submission_id, {})[score.part.language] = score
    return [
        Candidate(one, found.get(one.pk, {}))
        for one in sent.order_by("team", "number")
        if subtask in {file["subtask"] for file in one.contents}
    ]


def choose_counted(
    phase: Phase, candidates: Sequence[Candidate], chosen: int | None, n_wanted: int
) -> Candidate | None:
    """Return the candidate of a team that counts: the chosen one, the last one, or the best one.

    `chosen` is the id of a submission, `n_wanted` the number of languages of an average. Only the
    chosen one may wait for its scores.
    """
    scored = [one for one in candidates if one.scores]
    if phase.counting == Counting.BEST:
        return max(scored, key=lambda one: _quality(one, n_wanted), default=None)
    if found := [one for one in candidates if one.submission.pk == chosen]:
        return found[0]
    return scored[-1] if scored else None


def average_of(scores: Mapping[str, SubtaskScore], n_wanted: int) -> "Average | None":
    """Return the average of the best scores by language, or None for fewer languages."""
    from postprocess.scoring.inference import Measured, average_measured

    if not n_wanted or len(scores) < n_wanted:
        return None
    ordered = sorted(scores.items(), key=lambda one: (-one[1].score, one[0]))
    best = [scores[language] for language in sorted(name for name, _ in ordered[:n_wanted])]
    measured = [
        Measured(one.score, math.nan if one.error is None else one.error, one.n) for one in best
    ]
    return average_measured(measured, is_harmonic=best[0].subtask == HARMONIC)


def count_languages(phase: Phase) -> int:
    """Return over how many languages a phase's scores are averaged: all, or the best ones."""
    parts = TaskPart.objects.filter(shared_task=phase.shared_task_id)
    if phase.data == PhaseData.PRACTICE:
        parts = parts.exclude(practice_data="")
    return min(phase.shared_task.best_of or MOST_LANGUAGES, parts.count())


def describe_score(score: SubtaskScore) -> dict[str, Any]:
    """Return the figures of a score, as the board reads them."""
    return {name: getattr(score, name) for name in FIGURES}


def _quality(candidate: Candidate, n_wanted: int) -> tuple[bool, float, int]:
    """Return what makes the best candidate: an average, its height; of equal ones the first."""
    average = average_of(candidate.scores, n_wanted)
    mean = sum(one.score for one in candidate.scores.values()) / len(candidate.scores)
    return average is not None, average.score if average else mean, -candidate.submission.number
