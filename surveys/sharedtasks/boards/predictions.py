"""Predictions of a result against the gold, drawn once the gold is public."""

import hashlib
from collections.abc import Iterator
from typing import NamedTuple

from django.core.cache import cache

from surveys.operations.job_process import in_job_process
from surveys.sharedtasks.boards.results import Result
from surveys.sharedtasks.models import Scoring, Submission
from surveys.sharedtasks.scoring.figures import Golds
from surveys.sharedtasks.scoring.predictions import Place, load_predictions
from surveys.sharedtasks.scoring.score import find_scoring
from surveys.sharedtasks.scoring.tracks import find_tracks
from surveys.sharedtasks.scoring.visibility import Viewer, is_gold_public
from surveys.study.languages import name_language

KEPT_SECONDS = 24 * 3600
FORMATS = {"svg": "image/svg+xml", "png": "image/png"}


class Drawn(NamedTuple):
    """A figure of a result: its subtask, language, and caption."""

    subtask: int
    language: str
    caption: str


def may_draw(result: Result, viewer: Viewer) -> bool:
    """Return whether a viewer may see predictions against the gold.

    Predictions can be read from a figure: everybody sees it once the files are in the archive.
    """
    submission = result.submission
    if not is_gold_public(submission.phase):
        return False
    if viewer.is_organiser or viewer.team == submission.team:
        return True
    return submission.phase.shared_task.is_published and submission.team.publishes_files


def list_drawn(result: Result, viewer: Viewer) -> list[Drawn]:
    """Return the figures of a result that a viewer may see."""
    return list(_list_drawn(result)) if may_draw(result, viewer) else []


def draw_predictions(result: Result, place: Place, ending: str) -> bytes | None:
    """Return the figure of a subtask and language as a file; None if the result has none there.

    It is kept for a day, since drawing takes a while.
    """
    submission = result.submission
    if place not in {(drawn.subtask, drawn.language) for drawn in _list_drawn(result)}:
        return None
    scoring = _find_scoring(result, place)
    contents = submission.digest, scoring.pk, place, ending, result.team
    key = f"predictions-{hashlib.sha256(repr(contents).encode()).hexdigest()}"
    figure: bytes | None = cache.get(key)
    if figure is None:
        figure = _draw(submission, result.team, place, scoring, ending)
        cache.set(key, figure, KEPT_SECONDS)
    return figure


def _list_drawn(result: Result) -> Iterator[Drawn]:
    from postprocess.boards.captions import caption_predictions
    from postprocess.scoring.metrics import Metric

    tracks = find_tracks(result.submission.phase.shared_task)
    shown = {part.subtask for part in result.subtasks}
    for file in result.submission.contents:
        track, tag = tracks[file["subtask"]], file["language"]
        if track.number in shown and track.metric is not Metric.ACCURACY:  # tags are no points
            caption = caption_predictions(result.team, name_language(tag) or tag, track, file["n"])
            yield Drawn(track.number, tag, caption)


def _find_scoring(result: Result, place: Place) -> Scoring:
    """Return the scoring whose gold is drawn: the final board's, or the current scoring."""
    for part in result.subtasks:
        if part.subtask == place[0] and part.board and part.board.frozen:
            return part.board.frozen.scoring
    return find_scoring(result.submission.phase.shared_task)


@in_job_process
def _draw(submission: Submission, name: str, place: Place, scoring: Scoring, ending: str) -> bytes:
    from postprocess.boards.plots import illustrate_predictions
    from postprocess.reporting.figures.drawing import render_png, render_svg

    number, language = place
    golds = Golds(scoring)
    track = golds.tracks[number]
    drawn = illustrate_predictions(
        name,
        submission.code,
        (track, language),
        load_predictions(submission)[place],
        golds.find(language, submission.phase).find_gold(track),
    )
    if ending == "png":
        return render_png(drawn.figure)
    return render_svg(drawn.figure, title=drawn.title, description=drawn.caption)
