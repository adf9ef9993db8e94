"""The rows of a final board: results with their figures, baselines, and other references."""

import math
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from surveys.sharedtasks.final_results.eligibility import find_reason
from surveys.sharedtasks.models import CountedSubmission, Phase, TeamKind, TeamState
from surveys.sharedtasks.parts import read_data_file
from surveys.sharedtasks.scoring.corrections import find_corrections, write_correction
from surveys.sharedtasks.scoring.figures import Golds, compute_figures
from surveys.sharedtasks.scoring.predictions import Place, load_predictions
from surveys.sharedtasks.scoring.tracks import has_contexts
from surveys.sharedtasks.scoring.visibility import name_published

if TYPE_CHECKING:
    from postprocess.boards.entries import Entry, Kind, Rules
    from postprocess.types import Floats

BASELINES = ("distance", "form")  # on every board


class Results:
    """The predictions on a phase's boards; each file is read once."""

    def __init__(
        self, phase: Phase, golds: Golds, baselines: "Mapping[str, dict[Place, Floats]]"
    ) -> None:
        self.phase = phase
        self.golds = golds
        self.predicted: dict[int, dict[Place, Floats]] = {}  # by submission
        self.baselines = baselines

    def read(self, counted: CountedSubmission, subtask: int) -> "dict[Place, Floats]":
        """Return the predictions of a counted submission for a subtask."""
        pk = counted.submission_id
        if pk not in self.predicted:
            self.predicted[pk] = load_predictions(counted.submission)
        return {p: x for p, x in self.predicted[pk].items() if p[0] == subtask}


def predict_baselines(golds: Golds) -> "dict[str, dict[Place, Floats]]":
    """Return the test data's predictions of every board's baselines, by name, if of contexts."""
    from postprocess.baselines.texts import predict_distance, predict_form
    from postprocess.formats.stimuli import parse_stimuli
    from postprocess.scoring.metrics import Metric

    if not has_contexts(golds.scoring.shared_task):
        return {}
    predictions: dict[str, dict[Place, Floats]] = {name: {} for name in BASELINES}
    for language, part in golds.parts.items():
        pairs = parse_stimuli(read_data_file(part, practice=False)).pairs
        for name, predict in zip(BASELINES, (predict_distance, predict_form), strict=True):
            similarities = predict(pairs)
            for number, track in golds.tracks.items():
                predictions[name][number, language] = (
                    similarities[:, 1] - similarities[:, 0]
                    if track.metric is Metric.CHANGE
                    else similarities
                )
    return predictions


def make_rules(phase: Phase, subtask: int, golds: Golds) -> "Rules":
    """Return the rules of a board: its task, phase, languages and gold."""
    from postprocess.boards.entries import Rules
    from postprocess.scoring.ranking import Places

    shared_task = phase.shared_task
    sizes = {language: part.n_pairs for language, part in sorted(golds.parts.items())}
    best_of = shared_task.best_of
    return Rules(
        task=shared_task.title,
        phase=phase.name,
        track=golds.tracks[subtask],
        sizes=sizes,
        best_of=best_of if best_of and best_of < len(sizes) else None,
        places=Places(shared_task.places),
        gold_sha256=dict(golds.scoring.gold_sha256),
        scorer=golds.scoring.scorer,
        remarks=tuple(write_correction(correction) for correction in find_corrections(shared_task)),
    )


def list_entries(results: Results, subtask: int) -> "Iterator[Entry]":
    """Yield the entries of a board: results, then baselines, then what bounds them."""
    rows = CountedSubmission.objects.filter(phase=results.phase, subtask=subtask)
    shown = rows.filter(team__state=TeamState.ACCEPTED).exclude(scores={})
    names = set()
    for counted in shown.select_related("team", "submission").order_by("team__name_key"):
        entry = _enter(results, counted, subtask)
        names.add(entry.name)
        yield entry
    for name, predicted in results.baselines.items():
        if name not in names:
            of_subtask = {p: numbers for p, numbers in predicted.items() if p[0] == subtask}
            yield _enter_reference(results, name, of_subtask)
    yield from _list_bounds(results, subtask)


def _enter(results: Results, counted: CountedSubmission, subtask: int) -> "Entry":
    from postprocess.boards.entries import Entry, Kind

    team, submission = counted.team, counted.submission
    figures = compute_figures(results.read(counted, subtask), results.phase, results.golds)
    contents = [item for item in submission.contents if item["subtask"] == subtask]
    is_baseline = team.kind == TeamKind.BASELINE
    return Entry(
        name_published(team),
        {language: item for (_, language), item in figures.items()},
        kind=Kind.BASELINE if is_baseline else Kind.TEAM,
        system=team.system if team.described_at else "",
        attempts=None if is_baseline else counted.n_attempts,
        result="" if is_baseline else submission.code,
        outside="" if is_baseline else find_reason(counted, results.phase),
        file_sha256={item["language"]: item["sha256"] for item in contents},
    )


def _enter_reference(results: Results, name: str, predicted: "dict[Place, Floats]") -> "Entry":
    from postprocess.boards.entries import Entry, Kind

    figures = compute_figures(predicted, results.phase, results.golds)
    return Entry(name, {language: score for (_, language), score in figures.items()}, Kind.BASELINE)


def _list_bounds(results: Results, subtask: int) -> "Iterator[Entry]":
    """Yield what people and perfect systems reach, as far as it is known."""
    from postprocess.boards.bounds import HUMAN, bound_without_context
    from postprocess.boards.entries import Kind
    from postprocess.scoring.metrics import SIMILARITIES, Metric

    parts, track = results.golds.parts, results.golds.tracks[subtask]
    if not track.is_of_contexts:
        return
    if track.metric is Metric.CHANGE:
        squares = {name: part.reliability for name, part in parts.items() if part.reliability}
        roots = {name: math.sqrt(square) for name, square in squares.items()}
        yield from _bound("score ceiling", roots, results, Kind.CEILING)
        yield from _bound("a second crowd", squares, results, Kind.SECOND_CROWD)
    else:
        people = {name: part.human for name, part in parts.items() if part.human is not None}
        yield from _bound(HUMAN, people, results, Kind.HUMAN)
    similarities = {
        language: results.golds.find(language, results.phase).find_gold(SIMILARITIES)
        for language in parts
    }
    yield bound_without_context(track.metric, similarities)


def _bound(
    name: str, scores: Mapping[str, float | None], results: Results, kind: "Kind"
) -> "Iterator[Entry]":
    from postprocess.boards.entries import Entry, only_score

    figures = {
        language: only_score(score, results.golds.parts[language].n_pairs)
        for language, score in scores.items()
        if score is not None
    }
    if figures:
        yield Entry(name, figures, kind)
