"""The rules of a shared task and of a phase, as far as teams must know them to take part."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from postprocess.errors import UserError
from postprocess.scoring.metrics import GWSC, Track


class KitError(UserError):
    """A kit cannot be made; the message says why."""


class Visibility(StrEnum):
    """Who sees the scores of a phase before the results are published."""

    HIDDEN = "hidden"
    OWN = "own"
    BOARD = "board"


@dataclass(frozen=True)
class TaskRules:
    """What holds for a whole shared task.

    `text` and `terms` are Markdown; `zone` is an IANA name; `required` are the languages without
    which results are refused; `best_of` is the number of best languages of which the average is
    taken, None for all.
    """

    title: str
    text: str = ""
    terms: str = ""
    contact: str = ""
    address: str = ""
    zone: str = "UTC"
    required: tuple[str, ...] = ()
    best_of: int | None = None


@dataclass(frozen=True)
class PhaseRules:
    """What holds for a phase; instants know their zone, and None means no end or no limit."""

    name: str
    is_practice: bool
    opens_at: datetime
    closes_at: datetime | None = None
    attempts_total: int | None = None
    attempts_a_day: int | None = None
    visibility: Visibility = Visibility.HIDDEN
    tracks: tuple[Track, ...] = GWSC

    @property
    def has_contexts(self) -> bool:
        """Whether all tracks are of pairs in contexts."""
        return all(track.is_of_contexts for track in self.tracks)


@dataclass(frozen=True)
class KitPart:
    """One language: the contents of its data file and, in practice data alone, of its gold file.

    `instructions`: what annotators read, file name → content.
    """

    language: str
    data: bytes
    gold: bytes | None = None
    instructions: Mapping[str, bytes] = field(default_factory=dict)
