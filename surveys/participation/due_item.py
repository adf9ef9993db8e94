"""SQL statements behind an item's pages: the due item, and its answers.

They are written in SQL, since building them from model classes takes several times as long as
running them (docs/performance.md), and most requests of a survey are for these pages.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from json import loads
from typing import Any

from django.db import connection

from postprocess.designs.kinds import KINDS, STORED, Item, ItemKind
from surveys.models.participation import AssignmentState, Response

WORDS_OPEN = "engaged_at IS NULL"
RATING_OPEN = "engaged_at IS NOT NULL AND rated_at IS NULL"

TAKES_ANSWERS = """EXISTS (
    SELECT 1 FROM surveys_assignment a
    WHERE a.id = surveys_response.assignment_id AND a.state IN ('started', 'expired')
)"""

# The due position comes from an index: all open texts would be joined before they are sorted.
_FIND = """
SELECT a.id, a.state, a.started_at IS NOT NULL, a.n_items, s.id, s.revision, s.item_kind,
       r.id, r.position, r.engaged_at IS NOT NULL,
       before.rated_at IS NOT NULL,
       p.word1, p.word2, c.text, c.text2, c.word1_start, c.word1_end, c.word2_start, c.word2_end,
       c.more_spans
FROM surveys_assignment a
JOIN surveys_study s ON s.id = a.study_id
LEFT JOIN surveys_response r ON r.assignment_id = a.id AND r.position = (
    SELECT MIN(position) FROM surveys_response WHERE assignment_id = a.id AND rated_at IS NULL
)
LEFT JOIN surveys_response before
    ON before.assignment_id = a.id AND before.position = r.position - 1 AND r.engaged_at IS NULL
LEFT JOIN surveys_context c ON c.id = r.context_id
LEFT JOIN surveys_pair p ON p.id = c.pair_id
WHERE a.token = %s
"""


@dataclass(slots=True)
class AssignmentProgress:
    """The state of an assignment, and its due item."""

    kind: ItemKind
    due: "DueItem | None"
    assignment_id: int
    state: str
    is_begun: bool  # SQLite says 0 or 1
    n_items: int
    study_id: int
    revision: str

    @property
    def takes_answers(self) -> bool:
        """Whether the texts are open to the annotator: introduced, and not ended."""
        is_open = self.state in {AssignmentState.STARTED, AssignmentState.EXPIRED}
        return is_open and bool(self.is_begun)

    @property
    def n_pages(self) -> int:
        """The number of pages of the assignment."""
        return self.kind.n_pages * self.n_items

    @property
    def n_pages_done(self) -> int:
        """The number of pages that are answered."""
        if self.due is None:
            return self.n_pages
        return self.kind.n_pages * (self.due.position - 1) + self.due.is_engaged

    @property
    def asks_rating(self) -> bool:
        """Whether the due page is an item's last or only one."""
        return self.due is not None and (bool(self.due.is_engaged) or self.kind.n_pages == 1)


@dataclass(slots=True)
class DueItem:
    """The first unanswered item of an assignment.

    `has_last`: the answer to the item before can be changed, until page 1 of this one is answered.
    """

    response_id: int
    position: int
    is_engaged: bool
    has_last: bool
    item: Item[Any]


def find_progress(token: str) -> AssignmentProgress | None:
    """Return the state of the assignment with this token, or None."""
    with connection.cursor() as cursor:
        cursor.execute(_FIND, [token])
        row = cursor.fetchone()
    if row is None:
        return None
    *progress, kind_name, response_id, position, is_engaged, has_last = row[:11]
    kind, due = KINDS[kind_name], None
    if response_id is not None:
        columns = dict(zip(STORED, row[11:], strict=True))
        if columns["more_spans"]:
            columns["more_spans"] = loads(columns["more_spans"])
        item = kind.restored(columns)
        due = DueItem(response_id, position, is_engaged, bool(has_last), item)
    return AssignmentProgress(kind, due, *progress)


def fill_response(response_id: int, still_open: str, answer: Mapping[str, object]) -> bool:
    """Store an answer in a response if it is still open (`WORDS_OPEN`, `RATING_OPEN`).

    Returns whether it was stored. It is one statement, so that the first of several simultaneous
    answers counts.
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
    condition = f"id = %s AND NOT is_erased AND {still_open} AND {TAKES_ANSWERS}"
    # The names are those of our own columns.
    return f"UPDATE surveys_response SET {columns} WHERE {condition}"  # noqa: S608  # nosec B608
