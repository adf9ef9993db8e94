"""Flags: why organisers should look at a submission. They are hints, never verdicts."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, TypedDict

from django.db import transaction

from surveys.sharedtasks.models import (
    CountedSubmission,
    Phase,
    Submission,
    SubmissionState,
    Team,
    TeamKind,
)
from surveys.sharedtasks.scoring.predictions import Place, load_predictions
from surveys.sharedtasks.uploads import list_baselines

if TYPE_CHECKING:
    from postprocess.boards.advice.flags import Flag as Found
    from postprocess.types import Floats

MOST_COMPARED = 10  # earlier submissions of a team


class Flag(TypedDict):
    """A flag as it is stored: its name, the file it is about, and another submission or team."""

    flag: str
    text: str
    subtask: int
    language: str
    other: str


def find_flags(submission: Submission, predictions: "dict[Place, Floats]") -> list[Flag]:
    """Return a submission's flags; organisers' submissions have none."""
    if submission.team.kind != TeamKind.TEAM:
        return []
    return [
        *_flag_numbers(predictions),
        *_flag_baselines(submission),
        *_flag_dissimilar(submission, predictions),
        *_flag_copies(submission),
    ]


def make_flag(kind: "Found", place: Place, other: str = "") -> Flag:
    """Return a flag about a file."""
    return Flag(flag=kind.name, text=kind.value, subtask=place[0], language=place[1], other=other)


def _flag_numbers(predictions: "dict[Place, Floats]") -> Iterator[Flag]:
    from postprocess.boards.advice.flags import flag_predictions

    for place, numbers in sorted(predictions.items(), key=lambda item: item[0]):
        for kind, _ in flag_predictions(numbers):
            yield make_flag(kind, place)


def _flag_baselines(submission: Submission) -> Iterator[Flag]:
    from postprocess.boards.advice.flags import Flag as Kind

    baselines = list_baselines(submission.team.shared_task_id)
    for file in submission.contents:
        if name := baselines.get(file["digest"]):
            yield make_flag(Kind.BASELINE, (file["subtask"], file["language"]), name)


def _flag_dissimilar(submission: Submission, predictions: "dict[Place, Floats]") -> Iterator[Flag]:
    """Yield a flag for each file that hardly correlates with one of the team's other files."""
    from postprocess.boards.advice.flags import Flag as Kind
    from postprocess.boards.advice.flags import find_dissimilar

    others = Submission.objects.filter(
        team=submission.team_id, phase=submission.phase_id, state=SubmissionState.SCORED
    ).exclude(pk=submission.pk)
    flagged = set()
    for earlier in others.order_by("-number")[:MOST_COMPARED]:
        for place, numbers in load_predictions(earlier).items():
            if place not in predictions or place in flagged:
                continue
            if find_dissimilar({"this": predictions[place], "other": numbers}):
                flagged.add(place)
                yield make_flag(Kind.DISSIMILAR, place, f"submission {earlier.number}")


def _flag_copies(submission: Submission) -> Iterator[Flag]:
    """Yield a flag for each team that sent exactly the same predictions in this phase."""
    from postprocess.boards.advice.flags import Flag as Kind

    copies = Submission.objects.filter(phase=submission.phase_id, digest=submission.digest)
    others = copies.exclude(team=submission.team_id).filter(team__kind=TeamKind.TEAM)
    for copy in others.attempts().select_related("team").order_by("number", "pk"):
        first = submission.contents[0]
        yield make_flag(Kind.SIMILAR, (first["subtask"], first["language"]), copy.team.name)


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
