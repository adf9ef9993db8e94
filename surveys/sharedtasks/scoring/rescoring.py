"""Scoring all submissions again, after the gold or the scorer was corrected."""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from django.contrib.auth.models import User
from django.core.files.base import ContentFile
from django.db import transaction
from django.utils import timezone

from surveys.access.audit_log import record
from surveys.jobs.perform import Progress, Store
from surveys.models import Job
from surveys.sharedtasks.errors import SharedTaskRefused
from surveys.sharedtasks.models import (
    CountedSubmission,
    Phase,
    Scoring,
    ScoringState,
    SharedPlaces,
    SharedTask,
    SharedTaskState,
    Submission,
    SubtaskScore,
    TaskPart,
    Team,
)
from surveys.sharedtasks.models.tasks import name_private_file
from surveys.sharedtasks.parts import read_data_file
from surveys.sharedtasks.scoring.counting import (
    Candidate,
    average_of,
    count_languages,
    count_phase,
    find_counted,
)
from surveys.sharedtasks.scoring.figures import Golds, compute_figures, make_scores
from surveys.sharedtasks.scoring.predictions import load_predictions
from surveys.sharedtasks.scoring.score import find_scoring, make_scoring
from surveys.sharedtasks.scoring.tracks import find_tracks
from surveys.sharedtasks.scoring.visibility import round_figure
from surveys.sharedtasks.tasks import RESCORE, find_shared_task, is_busy, lock_task, request_job
from surveys.sharedtasks.teams.attempts import lock_teams

UNUSED = (ScoringState.COMPUTING, ScoringState.READY)
MOST_AT_ONCE = 50  # submissions that are scored while the organiser waits
AVERAGE = "average"


class MovedRank(NamedTuple):
    """A team whose score or rank in a column changes by another scoring; None if it has none."""

    phase: Phase
    subtask: int
    column: str
    team: Team
    score_before: float | None
    score_after: float | None
    rank_before: int | None
    rank_after: int | None


def request_rescoring(
    shared_task: SharedTask, reason: str, *, gold: Mapping[str, bytes], by: User | None
) -> Scoring:
    """Queue the scoring of all submissions with corrected gold files by language, or a new scorer.

    The current scoring stays until `use_scoring`. Raises SharedTaskRefused without a reason, for
    gold that cannot be used or is the present one, and while another correction is not decided.
    """
    from postprocess.scoring.scoring import SCORER

    current = find_scoring(shared_task)
    digests = {language: _check_gold(shared_task, language, gold[language]) for language in gold}
    files = {language: _keep(content) for language, content in gold.items()}
    with transaction.atomic():
        shared_task = lock_task(shared_task)
        _refuse_rescoring(shared_task, reason)
        if {**current.gold_sha256, **digests} == current.gold_sha256 and current.scorer == SCORER:
            raise SharedTaskRefused("Gold and scorer are in use already: no score would change.")
        scoring = make_scoring(
            shared_task,
            state=ScoringState.COMPUTING,
            gold_sha256={**current.gold_sha256, **digests},
            gold_files={**current.gold_files, **files},
            reason=reason.strip(),
            created_by=by,
        )
        request_job(shared_task, RESCORE, by)
        record(
            "scoring.requested", shared_task, name_scoring(scoring),
            reason=reason, languages=", ".join(sorted(gold)), scorer=SCORER,
        )  # fmt: skip
    return scoring


def perform_rescoring(job: Job, progress: Progress) -> Store:
    """Compute all scores of the scoring that is in progress; scores that exist are kept."""
    computing = Scoring.objects.filter(state=ScoringState.COMPUTING)
    scoring = computing.get(shared_task=find_shared_task(job))
    n_all = Submission.objects.without_scores(scoring).count()
    for number, _ in enumerate(_score_missing(scoring), 1):
        progress("scoring", min(number, n_all), n_all)
    return lambda: Scoring.objects.filter(pk=scoring.pk).update(state=ScoringState.READY)


def use_scoring(scoring: Scoring) -> Scoring:
    """Let a computed scoring replace the current one; idempotent.

    The boards follow; final ones have to be made again. Raises SharedTaskRefused for a scoring that
    is not computed, and while a job of the shared task is in progress.
    """
    if Submission.objects.without_scores(scoring).count() > MOST_AT_ONCE:
        raise SharedTaskRefused(
            "Many submissions arrived meanwhile. Have the scoring computed again first."
        )
    for _ in _score_missing(scoring):
        pass
    with transaction.atomic():
        shared_task = lock_task(scoring.shared_task)
        lock_teams(shared_task)
        scoring = Scoring.objects.get(pk=scoring.pk)
        if scoring.state == ScoringState.CURRENT:
            return scoring
        _refuse_unready(scoring)
        current = Scoring.objects.filter(shared_task=shared_task, state=ScoringState.CURRENT)
        current.update(state=ScoringState.REPLACED)
        scoring.state, scoring.current_since = ScoringState.CURRENT, timezone.now()
        scoring.save(update_fields=["state", "current_since"])
        for phase in shared_task.phases.all():
            count_phase(phase)
        record("scoring.used", shared_task, name_scoring(scoring), reason=scoring.reason)
    return scoring


@transaction.atomic
def discard_scoring(scoring: Scoring) -> Scoring:
    """Decide against a scoring that is not current; idempotent. Its scores are kept.

    Raises SharedTaskRefused while a job of the shared task is in progress.
    """
    shared_task = lock_task(scoring.shared_task)
    scoring = Scoring.objects.get(pk=scoring.pk)
    if scoring.state not in UNUSED:
        return scoring
    if is_busy(shared_task):
        raise SharedTaskRefused("A job of this shared task is in progress. Wait until it ends.")
    scoring.state = ScoringState.DISCARDED
    scoring.save(update_fields=["state"])
    record("scoring.discarded", shared_task, name_scoring(scoring))
    return scoring


@transaction.atomic
def repeat_rescoring(scoring: Scoring, by: User | None) -> Scoring:
    """Queue the computing of a scoring again, which goes on where it ended.

    Raises SharedTaskRefused for a scoring that was used or discarded, and while a job of the shared
    task is in progress.
    """
    shared_task = lock_task(scoring.shared_task)
    scoring = Scoring.objects.get(pk=scoring.pk)
    if scoring.state not in UNUSED:
        raise SharedTaskRefused(f"It was decided about {name_scoring(scoring)} already.")
    scoring.state = ScoringState.COMPUTING
    scoring.save(update_fields=["state"])
    request_job(shared_task, RESCORE, by)
    return scoring


def find_unused(shared_task: SharedTask) -> Scoring | None:
    """Return the scoring that is computed or being computed and not decided about, if any."""
    return Scoring.objects.filter(shared_task=shared_task, state__in=UNUSED).first()


def list_moved_ranks(scoring: Scoring) -> list[MovedRank]:
    """Return the teams whose score as shown, or rank, changes if a scoring becomes current."""
    phases = Phase.objects.filter(shared_task=scoring.shared_task_id).select_related("shared_task")
    return [
        moved
        for phase in phases
        for subtask in phase.subtasks
        for moved in _compare_scorings(phase, subtask, scoring)
    ]


def name_scoring(scoring: Scoring) -> str:
    """Return how the log names a scoring."""
    return f"scoring {scoring.number}"


def _check_gold(shared_task: SharedTask, language: str, content: bytes) -> str:
    """Return the digest of a corrected gold file. Raises SharedTaskRefused."""
    from postprocess.scoring.gold import GoldError, check_gold, make_part

    part = TaskPart.objects.filter(shared_task=shared_task, name=language).first()
    if part is None:
        raise SharedTaskRefused(f"The shared task has no language {language}.")
    try:
        tracks = [*find_tracks(shared_task).values()]
        made = make_part(language, content, read_data_file(part, practice=False), tracks)
        check_gold(made, tracks)
    except GoldError as error:
        raise SharedTaskRefused(f"{language}: {error}") from error
    return made.sha256


def _keep(content: bytes) -> str:
    """Store a corrected gold file; return its name."""
    stored = TaskPart(gold="")
    name = name_private_file(stored, "")
    return stored.gold.storage.save(name, ContentFile(content))


def _refuse_rescoring(shared_task: SharedTask, reason: str) -> None:
    if not reason.strip():
        raise SharedTaskRefused("Write why all results are scored again; boards will show it.")
    if shared_task.state == SharedTaskState.DRAFT:
        raise SharedTaskRefused("The shared task is a draft: change its data instead.")
    if unused := find_unused(shared_task):
        raise SharedTaskRefused(
            f"Decide first whether {name_scoring(unused)} is to be used or discarded."
        )


def _refuse_unready(scoring: Scoring) -> None:
    if scoring.state != ScoringState.READY:
        raise SharedTaskRefused(f"{name_scoring(scoring).capitalize()} is not computed yet.")
    if is_busy(scoring.shared_task):
        raise SharedTaskRefused("A job of this shared task is in progress. Wait until it ends.")
    if Submission.objects.without_scores(scoring).exclude(state="stored").exists():
        raise SharedTaskRefused("A submission arrived this moment. Try again.")


def _score_missing(scoring: Scoring) -> Iterator[int]:
    """Score the submissions that lack scores of a scoring; yield the id of each.

    Raises SharedTaskRefused for one whose file is damaged.
    """
    golds = Golds(scoring)
    missing = Submission.objects.without_scores(scoring).select_related("phase", "team")
    for submission in missing.order_by("pk").iterator(chunk_size=100):
        try:
            predictions = load_predictions(submission)
        except (OSError, ValueError) as error:
            raise SharedTaskRefused(
                f"The files of submission {submission.number} of {submission.team} in "
                f"{submission.phase.name} cannot be read. Cancel it, then try again."
            ) from error
        figures = compute_figures(predictions, submission.phase, golds)
        scores = make_scores(submission, figures, golds)
        SubtaskScore.objects.bulk_create(scores, ignore_conflicts=True)
        yield submission.pk


def _compare_scorings(phase: Phase, subtask: int, scoring: Scoring) -> Iterator[MovedRank]:
    rows = CountedSubmission.objects.filter(phase=phase, subtask=subtask, is_chosen=True)
    chosen = dict(rows.values_list("team", "submission"))
    teams = {team.pk: team for team in Team.objects.competing().filter(submissions__phase=phase)}
    before = find_counted(phase, subtask, chosen, team_ids=list(teams))
    after = find_counted(phase, subtask, chosen, scoring=scoring, team_ids=list(teams))
    rule = phase.shared_task.places
    columns = sorted({name for candidate in before.values() for name in candidate.scores})
    for column in (AVERAGE, *columns):
        old, new = (_read_column(phase, column, counted) for counted in (before, after))
        for team_id in sorted(old.keys() | new.keys(), key=lambda pk: teams[pk].name_key):
            places = _place(old, team_id, rule), _place(new, team_id, rule)
            if places[0] != places[1]:
                (score, rank), (new_score, new_rank) = places
                yield MovedRank(
                    phase, subtask, column, teams[team_id], score, new_score, rank, new_rank
                )


def _read_column(phase: Phase, column: str, counted: Mapping[int, Candidate]) -> dict[int, Any]:
    """Return the scores of a column as shown, by team."""
    n_wanted = count_languages(phase)
    by_team = {}
    for team_id, candidate in counted.items():
        if column == AVERAGE:
            average = average_of(candidate, n_wanted)
            score = average.score if average else None
        else:
            score = candidate.scores[column].score if column in candidate.scores else None
        if score is not None:
            by_team[team_id] = round_figure(score)
    return by_team


def _place(scores: Mapping[int, float], team_id: int, rule: str) -> tuple[float | None, int | None]:
    """Return the score of a team, and its rank: 1 and the number of higher scores."""
    if team_id not in scores:
        return None, None
    score = scores[team_id]
    higher = [other for other in scores.values() if other > score]
    return score, 1 + len(set(higher) if rule == SharedPlaces.DENSE else higher)
