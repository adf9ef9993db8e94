"""The figures of submissions: predictions against the gold of a scoring."""

import math
from typing import TYPE_CHECKING

from surveys.sharedtasks.models import Phase, PhaseData, Scoring, Submission, SubtaskScore
from surveys.sharedtasks.scoring.gold import load_gold
from surveys.sharedtasks.scoring.predictions import Place
from surveys.sharedtasks.scoring.tracks import find_tracks

if TYPE_CHECKING:
    from postprocess.scoring.figures import Figures
    from postprocess.scoring.gold import Part
    from postprocess.types import Floats


class Golds:
    """A scoring's gold, and the tracks by number; each part is read once."""

    def __init__(self, scoring: Scoring) -> None:
        self.scoring = scoring
        self.tracks = find_tracks(scoring.shared_task)
        self.parts = {part.name: part for part in scoring.shared_task.parts.all()}
        self._loaded: dict[tuple[str, bool], Part] = {}

    def find(self, language: str, phase: Phase) -> "Part":
        """Return the gold of a language for a phase."""
        key = language, phase.data == PhaseData.PRACTICE
        if key not in self._loaded:
            self._loaded[key] = load_gold(
                self.parts[language], practice=key[1], scoring=self.scoring
            )
        return self._loaded[key]


def compute_figures(
    predictions: "dict[Place, Floats]", phase: Phase, golds: Golds
) -> "dict[Place, Figures]":
    """Return the figures of predictions, with what intervals and tests need."""
    from postprocess.scoring.figures import score_predictions

    tracks = golds.tracks
    return {
        (number, language): score_predictions(
            tracks[number].metric, numbers, golds.find(language, phase).find_gold(tracks[number])
        )
        for (number, language), numbers in predictions.items()
    }


def make_scores(
    submission: Submission, figures: "dict[Place, Figures]", golds: Golds
) -> list[SubtaskScore]:
    """Return the scores of a submission by a scoring; they are not stored yet."""
    from postprocess.scoring.inference import score_interval, standard_error

    digests = {(file["subtask"], file["language"]): file["sha256"] for file in submission.contents}
    scores = []
    for (subtask, language), figure in sorted(figures.items()):
        low, high = score_interval(figure, golds.tracks[subtask].metric) or (None, None)
        scores.append(
            SubtaskScore(
                submission=submission,
                part=golds.parts[language],
                subtask=subtask,
                scoring=golds.scoring,
                score=_known(figure.score),
                pearson=_known(figure.pearson),
                spearman=_known(figure.spearman),
                n=figure.n,
                error=_known(standard_error(figure.left_out)),
                low=low,
                high=high,
                reason=figure.reason.value,
                file_sha256=digests[subtask, language],
            )
        )
    return scores


def _known(figure: float) -> float | None:
    return None if math.isnan(figure) else float(figure)
