"""The predictions of stored submissions, read again from their files."""

from typing import TYPE_CHECKING, Any

from surveys.sharedtasks.models import Submission
from surveys.sharedtasks.scoring.tracks import find_tracks
from surveys.sharedtasks.uploads import load_parts

if TYPE_CHECKING:
    from postprocess.types import Floats

Place = tuple[int, str]  # a subtask and a language


def load_predictions(submission: Submission) -> "dict[Place, Floats]":
    """Return the predictions of a submission by subtask and language.

    Raises OSError and ValueError for a file that is damaged since it was checked.
    """
    from postprocess.scoring.predictions import read_predictions
    from postprocess.scoring.submitted import sort_files

    with submission.file.open("rb") as stored:
        archive = stored.read()
    contents: dict[Place, dict[str, Any]] = {
        (file["subtask"], file["language"]): file for file in submission.contents
    }
    languages = sorted({language for _, language in contents})
    tracks = [*find_tracks(submission.phase.shared_task).values()]
    of_contexts = all(track.is_of_contexts for track in tracks)
    ids_of = {} if of_contexts else {p.language: p.ids for p in load_parts(submission.phase)}
    predictions = {}
    for file in sort_files([("results.zip", archive)], languages, tracks).files:
        place = file.track.number, file.language
        n_pairs, ids = contents[place]["n"], () if of_contexts else ids_of[file.language]
        read = read_predictions(
            file.data, file.track, file.language, n_pairs, ids=ids, ending=file.ending
        )
        if read.numbers is not None:
            predictions[place] = read.numbers
    if missing := sorted(set(contents) - set(predictions)):
        raise ValueError(f"the results of subtask {missing[0][0]}, {missing[0][1]} are damaged")
    return predictions
