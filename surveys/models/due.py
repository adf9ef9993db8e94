"""What an annotator is to do now, and their answer to it: the statements behind an item's pages.

They are written out, since building them anew out of model classes costs several times what
running them does (docs/performance.md), and the pages of items are what a survey is made of.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from django.db import connection

from surveys.models.collection import AssignmentState, Response
from surveys.models.stimuli import MarkedText

WORDS_OPEN = "engaged_at IS NULL"
RATING_OPEN = "engaged_at IS NOT NULL AND rated_at IS NULL"

_TAKES_ANSWERS = """EXISTS (
    SELECT 1 FROM surveys_assignment a
    WHERE a.id = surveys_response.assignment_id AND a.state IN ('started', 'expired')
)"""

_FIND = """
SELECT a.id, a.state, a.started_at IS NOT NULL, a.n_items, s.id, s.revision,
       r.id, r.position, r.engaged_at IS NOT NULL,
       p.word1, p.word2, c.text, c.word1_start, c.word1_end, c.word2_start, c.word2_end
FROM surveys_assignment a
JOIN surveys_study s ON s.id = a.study_id
LEFT JOIN surveys_response r ON r.assignment_id = a.id AND r.rated_at IS NULL
LEFT JOIN surveys_context c ON c.id = r.context_id
LEFT JOIN surveys_pair p ON p.id = c.pair_id
WHERE a.token = %s
ORDER BY r.position
LIMIT 1
"""


@dataclass(slots=True)
class Whereabouts:
    """Where the holder of an assignment's link is."""

    assignment_id: int
    state: str
    is_begun: bool  # SQLite says 0 or 1
    n_items: int
    study_id: int
    revision: str
    due: "DueItem | None"

    @property
    def takes_answers(self) -> bool:
        """Whether the texts are open to the annotator: introduced, and not at the end."""
        is_open = self.state in {AssignmentState.STARTED, AssignmentState.EXPIRED}
        return is_open and bool(self.is_begun)

    @property
    def n_pages(self) -> int:
        """Pages of the whole assignment, two an item."""
        return 2 * self.n_items

    @property
    def n_pages_done(self) -> int:
        """Pages that lie behind whoever is here."""
        if self.due is None:
            return self.n_pages
        return 2 * (self.due.position - 1) + self.due.is_engaged


@dataclass(slots=True)
class DueItem(MarkedText):
    """The first item of an assignment that is not answered."""

    response_id: int
    position: int
    is_engaged: bool
    word1: str
    word2: str
    text: str
    word1_start: int
    word1_end: int
    word2_start: int
    word2_end: int


def find_whereabouts(token: str) -> Whereabouts | None:
    """Where the holder of a link is; None for a link that leads nowhere."""
    with connection.cursor() as cursor:
        cursor.execute(_FIND, [token])
        row = cursor.fetchone()
    if row is None:
        return None
    assignment_id, state, is_begun, n_items, study_id, revision, *item = row
    due = None if item[0] is None else DueItem(*item)
    return Whereabouts(assignment_id, state, is_begun, n_items, study_id, revision, due)


def fill_response(response_id: int, still_open: str, answer: Mapping[str, object]) -> bool:
    """Store an answer in a response if it is still open (`WORDS_OPEN`, `RATING_OPEN`).

    One statement, so that of several answers at once the first counts. Say whether it was stored.
    """
    fields = [Response._meta.get_field(name) for name in answer]
    stored = [
        field.get_db_prep_save(value, connection)  # type: ignore[union-attr]
        for field, value in zip(fields, answer.values(), strict=True)
    ]
    with connection.cursor() as cursor:
        cursor.execute(_write_fill(tuple(answer), still_open), [*stored, response_id])
        return int(cursor.rowcount) == 1


@cache
def _write_fill(names: tuple[str, ...], still_open: str) -> str:
    columns = ", ".join(f"{Response._meta.get_field(name).column} = %s" for name in names)  # type: ignore[union-attr]
    asked = f"id = %s AND NOT is_erased AND {still_open} AND {_TAKES_ANSWERS}"
    # The names are those of our own columns.
    return f"UPDATE surveys_response SET {columns} WHERE {asked}"  # noqa: S608  # nosec B608
