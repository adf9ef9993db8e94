"""Streams of a study's responses and links as CSV, for spreadsheets and scripts.

A text that a spreadsheet would take for a formula gets an apostrophe before it; see
`postprocess.formats.tabular`. Responses contain no worker ids, notes or tokens.
"""

import csv
import io
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime
from decimal import Decimal
from itertools import islice
from typing import Any, NamedTuple

from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import Case, CharField, F, Func, Q, Value, When
from django.db.models.expressions import Combinable
from django.db.models.functions import Cast, Coalesce, Concat
from django.db.models.sql.compiler import SQLCompiler

from postprocess.formats.tabular import write_cell
from surveys.access.redaction import mask_note
from surveys.models import Assignment, Invitation, Response, SecondLook, Study, TextKind
from surveys.models.participation import ResponseQuerySet
from surveys.models.study import write_point
from surveys.recruitment.links import personal_link
from surveys.recruitment.reminders import list_recruits

ROWS_A_CHUNK = 200
ROWS_A_FETCH = 2000
TIMESTAMP = "timestamp"  # in UTC to the millisecond


class WrittenInstant(Func):
    """A timestamp in UTC to the millisecond, cut off, such as 2026-05-04T03:02:01.000Z.

    Formatted by the database, which is several times faster than parsing it into a datetime. On
    SQLite from the stored text: `strftime` rounds, so that a file would differ from Parquet's.
    """

    arity = 1
    output_field = CharField()
    # of PostgreSQL, where a connection's time zone is UTC
    template = """to_char(%(expressions)s, 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')"""

    def as_sqlite(
        self, compiler: SQLCompiler, connection: BaseDatabaseWrapper, **context: Any
    ) -> tuple[str, Any]:
        column = "%(expressions)s"
        fraction = f"substr(substr({column}, 20) || '.000', 1, 4)"  # stored unless it is 0
        written = f"substr({column}, 1, 10) || 'T' || substr({column}, 12, 8) || {fraction} || 'Z'"
        return self.as_sql(compiler, connection, template=written, **context)


_QUESTIONNAIRE = "assignment__questionnaire__"


class Column(NamedTuple):
    """A column of exported responses: what the database selects, and the Arrow type in Parquet."""

    source: str | Combinable
    arrow_type: str


RESPONSE_TABLE = {
    "pair": Column("pair__position", "int32"),
    "context": Column("context__number", "int32"),
    "checkpoint": Column("pair__is_checkpoint", "bool"),
    "annotator": Column("annotator__code", "string"),
    "block": Column(f"{_QUESTIONNAIRE}block__number", "int32"),
    "questionnaire": Column(
        Concat(Cast(f"{_QUESTIONNAIRE}block__number", CharField()), f"{_QUESTIONNAIRE}letter"),
        "string",
    ),
    "round": Column("assignment__round__number", "int32"),
    "is_current_round": Column("assignment__round__is_current", "bool"),
    "assignment_state": Column("assignment__state", "string"),
    "is_over_quota": Column("assignment__is_over_quota", "bool"),
    "is_scripted": Column(
        Coalesce("annotator__invitation__is_rehearsal", Value(value=False)), "bool"
    ),
    "position": Column("position", "int32"),
    "inspired_word1": Column("written1", "string"),
    "inspired_word2": Column("written2", "string"),
    "pasted_word1": Column("has_pasted_word1", "bool"),
    "pasted_word2": Column("has_pasted_word2", "bool"),
    "rating": Column("valid_rating", "float64"),
    "cannot_judge": Column("valid_is_unjudgeable", "bool"),
    "comment": Column("valid_comment", "string"),
    "words_shown_at": Column(WrittenInstant("words_shown_at"), TIMESTAMP),
    "engaged_at": Column(WrittenInstant("engaged_at"), TIMESTAMP),
    "words_visible_seconds": Column("words_visible_seconds", "float64"),
    "rating_shown_at": Column(WrittenInstant("rating_shown_at"), TIMESTAMP),
    "rated_at": Column(WrittenInstant("rated_at"), TIMESTAMP),
    "rating_visible_seconds": Column("rating_visible_seconds", "float64"),
    "scale_layout": Column("scale_layout", "string"),
    "first_rating": Column("first_rating", "float64"),
    "changed_at": Column(WrittenInstant("changed_at"), TIMESTAMP),
}
BEFORE = "rating_before_second_look"  # of those that were shown again
WAS_SHOWN_AGAIN = When(second_answer__isnull=False, then=F("rating"))
RESPONSE_FIELDS = {name: column.source for name, column in RESPONSE_TABLE.items()}
RESPONSE_COLUMNS = ("language", *RESPONSE_TABLE)
WORDS = ("inspired_word1", "inspired_word2")
INVITATION_COLUMNS = ("note", "link", "state", "created_at")
MAIL_COLUMNS = ("note", "address", "link", "state", "subject", "body")


def stream_responses(study: Study, **filters: Any) -> Iterator[str]:
    """Yield a study's responses that have words or a rating, by assignment and position.

    Filters are as in `find_responses`. Yields the header immediately, then rows in chunks, all
    from one query.
    """
    answered = find_responses(study, **filters).order_by("assignment_id", "position")
    columns = columns_of(study)
    sources = [column.source for column in columns.values()]
    rows = answered.values_list(*sources).iterator(chunk_size=ROWS_A_FETCH)
    return stream_csv(("language", *columns), ((study.language, *row) for row in rows))


def columns_of(study: Study) -> dict[str, Column]:
    """Return the columns of a study's responses, after that of its language.

    What annotators write is named by the kind of item. A study with a second look has the ratings
    before it as well.
    """
    names = dict(zip(WORDS, study.kind.written, strict=True))
    columns = {names.get(name, name): column for name, column in RESPONSE_TABLE.items()}
    if study.second_look_above is not None and SecondLook.objects.filter(study=study).exists():
        columns[BEFORE] = Column(Case(WAS_SHOWN_AGAIN), "float64")
    return columns


def find_responses(
    study: Study,
    *,
    block: int | None = None,
    context: int | None = None,
    annotator: str = "",
    state: str = "",
    since: datetime | None = None,
) -> ResponseQuerySet:
    """Return a study's responses that have words or a rating, filtered by the given values.

    `annotator` is a code, `state` that of the assignment; `since` compares the last answer.
    """
    # `assignment__in` lets both databases use the index of (assignment, position)
    assignments = Assignment.objects.for_study(study)
    if block is not None:
        assignments = assignments.filter(questionnaire__block__number=block)
    if annotator:
        assignments = assignments.filter(annotator__code=annotator)
    if state:
        assignments = assignments.filter(state=state)
    responses = Response.objects.filter(assignment__in=assignments, engaged_at__isnull=False)
    if context is not None:
        responses = responses.filter(context__number=context)
    if since is not None:
        latest = Q(changed_at__gte=since) | Q(rated_at__gte=since) | Q(engaged_at__gte=since)
        responses = responses.filter(latest | Q(second_answer__answered_at__gte=since))
    return responses.with_valid_rating(study)


def stream_invitations(
    study: Study, base_url: str, *, with_entrances: bool = False, shows_addresses: bool = True
) -> Iterator[str]:
    """Yield a study's personal links, with their notes and the state of their assignments.

    Links of scripted annotators are left out, and unless `with_entrances` those of annotators who
    came through an open link or a provider. E-mail addresses in notes may be masked.
    """
    links = Invitation.objects
    invitations = links.by_people(study) if with_entrances else links.personal(study)
    fields = ("note", "token", "revoked_at", "latest_state", WrittenInstant("created_at"))
    values = invitations.with_latest_state().order_by("pk").values_list(*fields)
    rows = (
        (
            note if shows_addresses else mask_note(note),
            personal_link(token, base_url),
            "revoked" if revoked_at else state or "unused",
            created_at,
        )
        for note, token, revoked_at, state, created_at in values.iterator(chunk_size=ROWS_A_FETCH)
    )
    return stream_csv(INVITATION_COLUMNS, rows)


def stream_mails(study: Study, kind: TextKind, *, shows_addresses: bool) -> Iterator[str]:
    """Yield the invitations or reminders to personal links, for a mail merge.

    Invitations are for unused links, reminders for all that are not finished; a note without an
    address gets an empty one, as do all if they may not be shown.
    """
    links: Any = Invitation.objects.personal(study).with_link_state().order_by("pk")
    recruits = list_recruits(
        study, links.iterator(chunk_size=ROWS_A_FETCH), sees_addresses=shows_addresses
    )
    rows = (
        (r.note, mail.to, r.link, r.link_state, mail.letter.subject, mail.letter.body)
        for r in recruits
        if (mail := r.invitation if kind == TextKind.INVITATION else r.reminder) is not None
    )
    return stream_csv(MAIL_COLUMNS, rows)


def write_text(text: str) -> str:
    """Return a text as a cell that no spreadsheet takes for a formula, with LF line breaks.

    >>> write_text("=1+1"), write_text("salt")
    ("'=1+1", 'salt')
    """
    # csv would leave a lone CR unquoted
    return write_cell(text).replace("\r\n", "\n").replace("\r", "\n")


_WRITERS: dict[type, Callable[[Any], str]] = {
    bool: lambda value: "true" if value else "false",
    str: write_text,
    Decimal: write_point,
}


def stream_csv(columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> Iterator[str]:
    """Yield a table as CSV: the header immediately, then rows in chunks."""
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
