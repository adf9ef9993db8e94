"""Teams whose predictions are almost the same."""

from typing import TYPE_CHECKING

from django.db import transaction

from surveys.sharedtasks.models import CountedSubmission, Phase, Submission, Team, TeamKind
from surveys.sharedtasks.scoring.flags import Flag, make_flag
from surveys.sharedtasks.scoring.predictions import Place, load_predictions

if TYPE_CHECKING:
    from postprocess.types import Floats


def flag_similar_teams(phase: Phase) -> int:
    """Flag the counted submissions of different teams that are almost the same; idempotent.

    Return the number of submissions with such a flag. Exact copies are flagged when they are
    scored.
    """
    from postprocess.boards.advice.flags import Flag as Kind
    from postprocess.boards.advice.flags import find_similar

    rows = CountedSubmission.objects.filter(phase=phase, team__kind=TeamKind.TEAM)
    teams = {row.submission_id: row.team for row in rows.select_related("team")}
    flags: dict[int, list[Flag]] = {pk: [] for pk in teams}
    for place, predicted in sorted(_read(teams).items(), key=lambda item: item[0]):
        for pair in find_similar({str(pk): numbers for pk, numbers in predicted.items()}):
            first, second = int(pair.first), int(pair.second)
            if teams[first] != teams[second]:
                flags[first].append(make_flag(Kind.SIMILAR, place, teams[second].name))
                flags[second].append(make_flag(Kind.SIMILAR, place, teams[first].name))
    with transaction.atomic():
        for pk, new in flags.items():
            _add(pk, new)
    return sum(bool(new) for new in flags.values())


def _read(teams: dict[int, Team]) -> "dict[Place, dict[int, Floats]]":
    """Return the predictions of submissions by file and submission."""
    predictions: dict[Place, dict[int, Floats]] = {}
    for submission in Submission.objects.filter(pk__in=list(teams)):
        for place, numbers in load_predictions(submission).items():
            predictions.setdefault(place, {})[submission.pk] = numbers
    return predictions


def _add(submission_id: int, flags: list[Flag]) -> None:
    submission = Submission.objects.select_for_update().get(pk=submission_id)
    new = [flag for flag in flags if flag not in submission.flags]
    if new:
        submission.flags = [*submission.flags, *new]
        submission.save(update_fields=["flags"])
