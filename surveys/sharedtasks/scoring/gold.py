"""The hidden gold of shared tasks. No other module opens a part's files of gold.

Only scoring, opening and publishing import this module; `tests/test_layout.py` holds them to it.
"""

from typing import TYPE_CHECKING

from surveys.sharedtasks.models import Scoring, TaskPart
from surveys.sharedtasks.parts import read_data_file
from surveys.sharedtasks.scoring.tracks import find_tracks

if TYPE_CHECKING:
    from postprocess.scoring.gold import Part


def load_gold(part: TaskPart, *, practice: bool, scoring: Scoring | None = None) -> "Part":
    """Return the gold of a part, and the words of its pairs.

    `scoring` may have corrected gold for the part's language, which is used instead.
    """
    from postprocess.scoring.gold import make_part

    content = read_gold_file(part, practice=practice, scoring=scoring)
    tracks = [*find_tracks(part.shared_task).values()]
    return make_part(part.name, content, read_data_file(part, practice=practice), tracks)


def read_gold_file(part: TaskPart, *, practice: bool, scoring: Scoring | None = None) -> bytes:
    """Return the content of the file with a part's gold, corrected if a scoring corrected it."""
    stored = part.practice_gold if practice else part.gold
    corrected = scoring.gold_files.get(part.name) if scoring and not practice else None
    with stored.storage.open(corrected or str(stored.name), "rb") as file:
        return bytes(file.read())
