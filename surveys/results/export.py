"""What is stored of a study → CSV, row by row, for a spreadsheet or a script.

A text that a spreadsheet would take for a formula gets an apostrophe before it; see
`postprocess.formats.cells`. No worker id, note or token stands among the responses.
"""

import csv
import io
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime
from decimal import Decimal
from itertools import islice
from typing import Any

from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import CharField, Func, Q, Value
from django.db.models.expressions import Combinable
from django.db.models.functions import Cast, Coalesce, Concat
from django.db.models.sql.compiler import SQLCompiler

from postprocess.formats.cells import write_cell
from surveys.access.redaction import mask_note
from surveys.models import Assignment, Invitation, Response, Study
from surveys.models.collection import ResponseQuerySet
from surveys.models.study import write_point
from surveys.recruitment.links import personal_link

ROWS_A_CHUNK = 200
ROWS_A_FETCH = 2000


class WrittenInstant(Func):
    """An instant in UTC to the millisecond, such as 2026-05-04T03:02:01.000Z.

    The database writes it, in a fraction of the time that making a datetime of it would take.
    """

    arity = 1
    output_field = CharField()

    def as_sqlite(
        self, compiler: SQLCompiler, connection: BaseDatabaseWrapper, **context: Any
    ) -> tuple[str, Any]:
        (instant,) = self.get_source_expressions()
        written = Func(Value("%Y-%m-%dT%H:%M:%fZ"), instant, function="strftime")
        return written.as_sql(compiler, connection, **context)

    def as_postgresql(
        self, compiler: SQLCompiler, connection: BaseDatabaseWrapper, **context: Any
    ) -> tuple[str, Any]:
        (instant,) = self.get_source_expressions()
        form = Value('YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')  # a connection's time zone is UTC
        return Func(instant, form, function="to_char").as_sql(compiler, connection, **context)


_QUESTIONNAIRE = "assignment__questionnaire__"
RESPONSE_FIELDS: dict[str, str | Combinable] = {
    "pair": "pair__position",
    "context": "context__number",
    "checkpoint": "pair__is_checkpoint",
    "annotator": "annotator__code",
    "block": f"{_QUESTIONNAIRE}block__number",
    "questionnaire": Concat(
        Cast(f"{_QUESTIONNAIRE}block__number", CharField()), f"{_QUESTIONNAIRE}letter"
    ),
    "round": "assignment__round__number",
    "is_current_round": "assignment__round__is_current",
    "assignment_state": "assignment__state",
    "is_over_quota": "assignment__is_over_quota",
    "is_scripted": Coalesce("annotator__invitation__is_rehearsal", Value(value=False)),
    "position": "position",
    "inspired_word1": "inspired_word1",
    "inspired_word2": "inspired_word2",
    "pasted_word1": "has_pasted_word1",
    "pasted_word2": "has_pasted_word2",
    "rating": "rating",
    "cannot_judge": "is_unjudgeable",
    "comment": "comment",
    "words_shown_at": WrittenInstant("words_shown_at"),
    "engaged_at": WrittenInstant("engaged_at"),
    "words_visible_seconds": "words_visible_seconds",
    "rating_shown_at": WrittenInstant("rating_shown_at"),
    "rated_at": WrittenInstant("rated_at"),
    "rating_visible_seconds": "rating_visible_seconds",
}
RESPONSE_COLUMNS = ("language", *RESPONSE_FIELDS)
INVITATION_COLUMNS = ("note", "link", "state", "created_at")


def stream_responses(study: Study, **wanted: Any) -> Iterator[str]:
    """Every response of a study that has words or a rating, by assignment and position.

    `wanted` narrows them as in `find_responses`. The header comes at once, then some hundred rows
    at a time, all as of one moment.
    """
    answered = find_responses(study, **wanted).order_by("assignment_id", "position")
    rows = answered.values_list(*RESPONSE_FIELDS.values())
    found = rows.iterator(chunk_size=ROWS_A_FETCH)
    return stream_csv(RESPONSE_COLUMNS, ((study.language, *row) for row in found))


def find_responses(
    study: Study,
    *,
    block: int | None = None,
    context: int | None = None,
    annotator: str = "",
    state: str = "",
    since: datetime | None = None,
) -> ResponseQuerySet:
    """The responses of a study that have words or a rating, narrowed as asked for.

    `annotator` is a code, `state` that of the assignment, `since` of the last answer.
    """
    # `assignment__in` lets both databases read along the index of (assignment, position)
    assignments = Assignment.objects.for_study(study)
    if block is not None:
        assignments = assignments.filter(questionnaire__block__number=block)
    if annotator:
        assignments = assignments.filter(annotator__code=annotator)
    if state:
        assignments = assignments.filter(state=state)
    found = Response.objects.filter(assignment__in=assignments, engaged_at__isnull=False)
    if context is not None:
        found = found.filter(context__number=context)
    if since is not None:
        found = found.filter(Q(rated_at__gte=since) | Q(engaged_at__gte=since))
    return found


def stream_invitations(
    study: Study, base_url: str, *, with_entrances: bool = False, shows_addresses: bool = True
) -> Iterator[str]:
    """The personal links of a study, whom each is for and how far it has led.

    Those of scripted annotators are left out, and unless asked for those of whoever came through
    an entrance. Notes that are e-mail addresses may be masked.
    """
    links = Invitation.objects
    invitations = links.by_people(study) if with_entrances else links.personal(study)
    fields = ("note", "token", "revoked_at", "latest_state", WrittenInstant("created_at"))
    found = invitations.with_latest_state().order_by("pk").values_list(*fields)
    rows = (
        (
            note if shows_addresses else mask_note(note),
            personal_link(token, base_url),
            "revoked" if revoked_at else state or "unused",
            created_at,
        )
        for note, token, revoked_at, state, created_at in found.iterator(chunk_size=ROWS_A_FETCH)
    )
    return stream_csv(INVITATION_COLUMNS, rows)


def write_text(text: str) -> str:
    """A text as a cell that no spreadsheet takes for a formula, its line breaks as LF.

    >>> write_text("=1+1"), write_text("salt")
    ("'=1+1", 'salt')
    """
    return (
        write_cell(text).replace("\r\n", "\n").replace("\r", "\n")
    )  # csv would leave a lone CR unquoted


_WRITERS: dict[type, Callable[[Any], str]] = {
    bool: lambda fact: "true" if fact else "false",
    str: write_text,
    Decimal: write_point,
}


def stream_csv(columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> Iterator[str]:
    """A table as CSV: the header at once, then some hundred rows at a time."""
    yield ",".join(columns) + "\n"
    remaining = iter(rows)
    while chunk := list(islice(remaining, ROWS_A_CHUNK)):
        out = io.StringIO()
        writer = csv.writer(out, lineterminator="\n")
        writer.writerows(map(_write_row, chunk))
        yield out.getvalue()


def _write_row(row: Sequence[Any]) -> list[Any]:
    return [
        write(cell) if (write := _WRITERS.get(type(cell))) is not None else cell for cell in row
    ]
