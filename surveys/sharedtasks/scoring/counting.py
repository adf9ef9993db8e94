"""Counted submissions: which one of a team is shown on the board, and its average."""

import math
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from django.db.models import F, QuerySet

from surveys.sharedtasks.models import (
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
from surveys.sharedtasks.scoring.tracks import find_tracks

if TYPE_CHECKING:
    from postprocess.scoring.inference import Average
    from postprocess.scoring.metrics import Metric, Track

FIGURES = ("score", "low", "high", "pearson", "spearman", "n", "reason")
MOST_LANGUAGES = 1_000
MOST_AT_ONCE = 10_000  # ids in a query
FIELDS = (
    "submission", "is_chosen", "average", "average_low", "average_high", "scores", "n_attempts",
)  # fmt: skip
Rows = TypeVar("Rows", bound="QuerySet[Any]")
Scores = dict[tuple[int, int], dict[str, SubtaskScore]]  # by submission and subtask; by language


class Candidate(NamedTuple):
    """A submission that may count, and its scores of a subtask by language, where it has one."""

    submission: Submission
    scores: dict[str, SubtaskScore]
    metric: "Metric"


def count_team(team: Team, phases: Iterable[Phase] | None = None) -> None:
    """Find the submissions of a locked team that count, by the current scoring.

    Given no phases, those of all phases are found.
    """
    if phases is None:
        phases = Phase.objects.filter(submissions__team=team).distinct()
    for phase in phases:
        count_phase(phase, [team.pk])


def count_phase(phase: Phase, team_ids: Collection[int] | None = None) -> None:
    """Find the submissions of locked teams, or of all teams, that count in a phase.

    It reads few rows in few queries: on SQLite nobody else can store anything meanwhile.
    """
    n_wanted, tracks = count_languages(phase), find_tracks(phase.shared_task)
    sent = _list_sent(phase, team_ids)
    n_attempts = Counter(candidate.team_id for candidate in sent)
    rows = _of_teams(CountedSubmission.objects.filter(phase=phase), team_ids)
    before = {(row.subtask, row.team_id): row for row in rows}
    all_chosen = {row.submission_id for row in before.values() if row.is_chosen}
    scores = _list_scores(_list_needed(phase, sent, all_chosen), phase.subtasks, None)
    after = []
    for subtask in phase.subtasks:
        chosen = {
            team_id: row.submission_id
            for (of_subtask, team_id), row in before.items()
            if of_subtask == subtask and row.is_chosen
        }
        candidates = _list_candidates(sent, tracks[subtask], scores)
        counted = _choose_all(phase, candidates, chosen, n_wanted)
        for team_id, candidate in counted.items():
            before.pop((subtask, team_id), None)
            row = CountedSubmission(phase=phase, subtask=subtask, team_id=team_id)
            _fill(row, candidate, n_wanted)
            row.is_chosen = candidate.submission.pk == chosen.get(team_id)
            row.n_attempts = n_attempts[team_id]
            after.append(row)
    CountedSubmission.objects.bulk_create(
        after,
        update_conflicts=True,
        unique_fields=("phase", "subtask", "team"),
        update_fields=FIELDS,
    )
    CountedSubmission.objects.filter(pk__in=[row.pk for row in before.values()]).delete()


def _of_teams(rows: Rows, team_ids: Collection[int] | None) -> Rows:
    return rows if team_ids is None else rows.filter(team__in=team_ids)


def _fill(row: CountedSubmission, counted: Candidate, n_wanted: int) -> None:
    row.submission = counted.submission
    row.scores = {language: describe_score(score) for language, score in counted.scores.items()}
    average = average_of(counted, n_wanted)
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
    sent = _list_sent(phase, team_ids)
    scores = _list_scores([submission.pk for submission in sent], [subtask], scoring)
    candidates = _list_candidates(sent, find_tracks(phase.shared_task)[subtask], scores)
    return _choose_all(phase, candidates, chosen, count_languages(phase))


def _choose_all(
    phase: Phase, candidates: Iterable[Candidate], chosen: Mapping[int, int], n_wanted: int
) -> dict[int, Candidate]:
    by_team: dict[int, list[Candidate]] = {}
    for candidate in candidates:
        by_team.setdefault(candidate.submission.team_id, []).append(candidate)
    counted = {
        team_id: choose_counted(phase, of_team, chosen.get(team_id), n_wanted)
        for team_id, of_team in by_team.items()
    }
    return {team_id: candidate for team_id, candidate in counted.items() if candidate is not None}


def _list_sent(phase: Phase, team_ids: Collection[int] | None) -> list[Submission]:
    sent = _of_teams(Submission.objects.filter(phase=phase).attempts(), team_ids)
    return list(sent.defer("warnings", "flags").order_by("team", "number"))


def _list_candidates(
    sent: Iterable[Submission], track: "Track", scores: Scores
) -> Iterator[Candidate]:
    """Yield the submissions with results of a subtask that are not withdrawn.

    Those that wait for their scores have none.
    """
    for submission in sent:
        is_standing = submission.state in (SubmissionState.STORED, SubmissionState.SCORED)
        if is_standing and track.number in {file["subtask"] for file in submission.contents}:
            of_track = scores.get((submission.pk, track.number), {})
            yield Candidate(submission, of_track, track.metric)


def _list_needed(phase: Phase, sent: Iterable[Submission], chosen: Collection[int]) -> list[int]:
    """Return the ids of the submissions whose scores decide what counts.

    Where the best submission counts these are all; else the chosen submissions, and the last
    scored submission of each team and subtask.
    """
    if phase.counting == Counting.BEST:
        return [submission.pk for submission in sent]
    last = {
        (submission.team_id, file["subtask"]): submission.pk
        for submission in sent
        if submission.state == SubmissionState.SCORED
        for file in submission.contents
    }
    return sorted({*last.values(), *chosen})


def _list_scores(sent: Sequence[int], subtasks: Collection[int], scoring: Scoring | None) -> Scores:
    """Return the scores of submissions by a scoring, or the current one, by language."""
    listed: Scores = {}
    for first in range(0, len(sent), MOST_AT_ONCE):
        of_some = sent[first : first + MOST_AT_ONCE]
        scores = SubtaskScore.objects.filter(submission__in=of_some, subtask__in=subtasks)
        scores = scores.exclude(score=None)
        if scoring is None:
            scores = scores.filter(scoring__state=ScoringState.CURRENT)
        else:
            scores = scores.filter(scoring=scoring)
        for score in scores.annotate(language=F("part__name")).order_by("language"):
            listed.setdefault((score.submission_id, score.subtask), {})[score.language] = score
    return listed


def choose_counted(
    phase: Phase, candidates: Sequence[Candidate], chosen: int | None, n_wanted: int
) -> Candidate | None:
    """Return the candidate of a team that counts: the chosen one, the last one, or the best one.

    `chosen` is the id of a submission, `n_wanted` the number of languages of an average. Only the
    chosen one may wait for its scores.
    """
    scored = [candidate for candidate in candidates if candidate.scores]
    if phase.counting == Counting.BEST:
        return max(scored, key=lambda candidate: _quality(candidate, n_wanted), default=None)
    if matches := [candidate for candidate in candidates if candidate.submission.pk == chosen]:
        return matches[0]
    return scored[-1] if scored else None


def average_of(candidate: Candidate, n_wanted: int) -> "Average | None":
    """Return the average of the best scores by language, or None for fewer languages."""
    from postprocess.scoring.inference import Measured, average_measured

    scores = candidate.scores
    if not n_wanted or len(scores) < n_wanted:
        return None
    ordered = sorted(scores.items(), key=lambda score: (-(score[1].score or 0), score[0]))
    best = [scores[language] for language in sorted(name for name, _ in ordered[:n_wanted])]
    measured = [
        Measured(s.score or 0.0, math.nan if s.error is None else s.error, s.n) for s in best
    ]
    return average_measured(measured, candidate.metric)


def count_languages(phase: Phase) -> int:
    """Return how many languages a phase's average covers: all, or the best."""
    parts = TaskPart.objects.filter(shared_task=phase.shared_task_id)
    if phase.data == PhaseData.PRACTICE:
        parts = parts.exclude(practice_data="")
    return min(phase.shared_task.best_of or MOST_LANGUAGES, parts.count())


def describe_score(score: SubtaskScore) -> dict[str, Any]:
    """Return the figures of a score, as the board reads them."""
    return {name: getattr(score, name) for name in FIGURES}


def _quality(candidate: Candidate, n_wanted: int) -> tuple[bool, float, int]:
    """Return a sort key: candidates with an average, then higher, then earlier, are better."""
    average = average_of(candidate, n_wanted)
    mean = sum(score.score or 0 for score in candidate.scores.values()) / len(candidate.scores)
    return average is not None, average.score if average else mean, -candidate.submission.number
