"""The input of a board: its rules, and the results of teams and references."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

import numpy as np

from postprocess.scoring.figures import Figures, Reason
from postprocess.scoring.metrics import Track
from postprocess.scoring.ranking import Places
from postprocess.scoring.scoring import SCORER

AVERAGE = "average"  # the name of the column of averages


class BoardError(ValueError):
    """A board cannot be made, or a file has no board; the message gives the reason."""


class Kind(StrEnum):
    """The kind of a row; only teams are ranked."""

    TEAM = "team"
    BASELINE = "baseline"
    HUMAN = "human"
    CEILING = "score ceiling"
    SECOND_CROWD = "second crowd"
    NO_CONTEXT = "best without context"


@dataclass(frozen=True)
class Rules:
    """The subject of a board, and how averages are formed.

    `sizes`: the number of pairs by language, in the order of the columns; `best_of`: how many of
    the best languages count, None for all; `gold_sha256`: the digest of the gold file by language;
    `remarks`: sentences that the board repeats, such as the source of published figures or the
    reason of a second scoring; `places`: how equal scores share places.
    """

    task: str
    phase: str
    track: Track
    sizes: Mapping[str, int]
    best_of: int | None = None
    gold_sha256: Mapping[str, str] = field(default_factory=dict)
    scorer: str = SCORER
    remarks: tuple[str, ...] = ()
    places: Places = Places.COMPETITION

    @property
    def languages(self) -> tuple[str, ...]:
        """The languages in the order of their columns."""
        return tuple(self.sizes)


@dataclass(frozen=True, eq=False)
class Entry:
    """A counted submission, or a reference.

    `name` is unique on the board: the team's name, or its code while names are hidden. `figures`
    by language may lack languages, scores, and left-out values (`only_score`). `attempts`: how many
    the team used; `result`: the code of the page of the result; `outside`: why a team's row is not
    ranked, "" if it is; `file_sha256`: the digest of the result file by language.
    """

    name: str
    figures: Mapping[str, Figures]
    kind: Kind = Kind.TEAM
    system: str = ""
    attempts: int | None = None
    result: str = ""
    outside: str = ""
    file_sha256: Mapping[str, str] = field(default_factory=dict)

    @property
    def is_ranked(self) -> bool:
        """Whether the row has a rank wherever it has a score."""
        return self.kind is Kind.TEAM and not self.outside


def only_score(score: float, n: int = 0) -> Figures:
    """Return figures for a result with a known score alone, such as a published result.

    `n`: the number of pairs, 0 if it is not known.

    >>> only_score(0.671).left_out.size
    0
    """
    return Figures(score, np.nan, np.nan, Reason.NONE, n, np.empty(0))
