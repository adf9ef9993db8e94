import csv
import io
from datetime import UTC, datetime
from decimal import Decimal

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from surveys.models import Invitation, Response, Study
from surveys.participation.answers import (
    PageVisit,
    record_engagement,
    record_rating,
    record_unjudgeable,
)
from surveys.participation.arrivals import start_through
from surveys.participation.assignments import start_assignment
from surveys.participation.corrections import change_rating
from surveys.participation.withdrawal import return_assignment, revoke_invitation
from surveys.privacy.erasure import withdraw_annotator
from surveys.recruitment.links import (
    invite_annotators,
    invite_listed,
    invite_scripted_annotators,
    open_entrance,
)
from surveys.results.export import (
    INVITATION_COLUMNS,
    RESPONSE_COLUMNS,
    ROWS_A_CHUNK,
    find_responses,
    stream_invitations,
    stream_responses,
)
from surveys.study.blocks.allocation import repeat_block
from surveys.study.design import configure_study
from tests.factories.studies import finish, make_study, progress_of, rate_due, start

pytestmark = [pytest.mark.django_db, pytest.mark.every_database]  # SQL writes instants and numbers

SITE = "https://survey.example.org"


def read(chunks) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO("".join(chunks), newline="")))


def exported(study: Study, *columns: str) -> list[tuple[str, ...]]:
    """Return some columns of an export."""
    return [tuple(row[column] for column in columns) for row in read(stream_responses(study))]


def at(millisecond: int) -> datetime:
    return datetime(2026, 5, 4, 3, 2, 1, millisecond * 1000, tzinfo=UTC)


def test_stream_responses_writes_every_column():
    study = make_study(1, ratings_per_context=1)
    assignment = start(study)
    shown = PageVisit(at(0), 12.345)
    record_engagement(progress_of(assignment), "sea", "salt", visit=shown, pasted=(True, False))
    record_rating(progress_of(assignment), Decimal(4), visit=PageVisit(at(250), 3.5, "row"))
    Response.objects.update(engaged_at=at(120), rated_at=at(999))

    (row,) = read(stream_responses(study))

    assert tuple(row) == RESPONSE_COLUMNS
    assert row == {
        "language": "en",
        "pair": "1",
        "context": str(Response.objects.get().context.number),
        "checkpoint": "false",
        "annotator": assignment.annotator.code,
        "block": "1",
        "questionnaire": f"1{assignment.questionnaire.letter}",
        "round": "1",
        "is_current_round": "true",
        "assignment_state": "submitted",
        "is_over_quota": "false",
        "is_scripted": "false",
        "position": "1",
        "inspired_word1": "sea",
        "inspired_word2": "salt",
        "pasted_word1": "true",
        "pasted_word2": "false",
        "rating": "4",
        "cannot_judge": "false",
        "comment": "",
        "words_shown_at": "2026-05-04T03:02:01.000Z",
        "engaged_at": "2026-05-04T03:02:01.120Z",
        "words_visible_seconds": "12.345",
        "rating_shown_at": "2026-05-04T03:02:01.250Z",
        "rated_at": "2026-05-04T03:02:01.999Z",
        "rating_visible_seconds": "3.5",
        "scale_layout": "row",
        "first_rating": "",
        "changed_at": "",
    }


def test_stream_responses_writes_both_ratings_of_a_changed_one():
    assignment = start(make_study(2))
    rate_due(assignment, 2)
    change_rating(progress_of(assignment), 1, Decimal(5))
    Response.objects.filter(changed_at__isnull=False).update(changed_at=at(999))

    (row,) = read(stream_responses(assignment.study))

    changed = [row[name] for name in ("rating", "first_rating", "changed_at")]
    assert changed == ["5", "2", "2026-05-04T03:02:01.999Z"]
    assert find_responses(assignment.study, since=at(999)).exists()


@pytest.mark.parametrize("above", [None, 1])
def test_second_answers_are_joined_only_where_a_study_may_have_them(above):
    study = make_study(1)
    study.second_look_above = above

    with CaptureQueriesContext(connection) as done:
        list(find_responses(study))
        list(Response.objects.counted(study))

    joined = ["surveys_secondanswer" in query["sql"] for query in done]
    assert joined == [above is not None] * 2


def test_stream_responses_leaves_unknown_values_empty():
    study = make_study(1)
    record_engagement(progress_of(start(study)), "sea", "salt")

    unknown = ("rating", "words_shown_at", "words_visible_seconds", "rating_shown_at", "rated_at",
               "rating_visible_seconds", "comment")  # fmt: skip
    assert exported(study, "inspired_word1", *unknown) == [("sea", *[""] * len(unknown))]


def test_stream_responses_has_a_header_even_without_rows():
    study = make_study(1)
    start(study)

    assert "".join(stream_responses(study)) == ",".join(RESPONSE_COLUMNS) + "\n"


def test_stream_responses_is_of_one_study():
    study, other = make_study(1), make_study(1, slug="other", language="sl")
    finish(start(other), rating=1)
    finish(start(study), rating=5)

    assert exported(study, "language", "rating") == [("en", "5")]
    assert exported(other, "language", "rating") == [("sl", "1")]


def test_stream_responses_orders_by_assignment_and_position():
    study = make_study(3)
    first, second = start(study), start(study)
    rate_due(second, 2)
    finish(first)
    rate_due(second, 2)

    codes = [first.annotator.code] * 3 + [second.annotator.code] * 2
    positions = ["1", "2", "3", "1", "2"]
    assert exported(study, "annotator", "position") == list(zip(codes, positions, strict=True))


def test_stream_responses_has_state_and_round():
    study = make_study(1, ratings_per_context=1)
    finish(start(study))
    repeat_block(study.blocks.get(), reason="scripts", author="")
    finish(start(study, invite_scripted_annotators(study, 1)[0]))
    late = start(study)
    record_engagement(progress_of(late), "sea", "salt")
    return_assignment(late, "")

    assert exported(
        study, "round", "is_current_round", "assignment_state", "is_scripted", "rating"
    ) == [
        ("1", "false", "submitted", "false", "3"),
        ("2", "true", "submitted", "true", "3"),
        ("2", "true", "returned", "false", ""),
    ]


@pytest.mark.parametrize(
    ("erases", "states"), [(True, []), (False, [("withdrawn", "sea")])], ids=["erased", "kept"]
)
def test_stream_responses_has_withdrawn_annotators_unless_erased(erases, states):
    study = configure_study(make_study(1), erases_withdrawn=erases)
    assignment = start(study)
    finish(assignment)
    withdraw_annotator(assignment.annotator)

    assert exported(study, "assignment_state", "inspired_word1") == states


def test_stream_responses_has_comments_of_unjudgeable_items():
    study = configure_study(make_study(1), allows_unjudgeable=True)
    assignment = start(study)
    record_engagement(progress_of(assignment), "sea", "salt")
    record_unjudgeable(progress_of(assignment), 'two\nlines, "quoted"')

    assert exported(study, "rating", "cannot_judge", "comment") == [
        ("", "true", 'two\nlines, "quoted"')
    ]


def test_stream_responses_writes_ratings_without_trailing_zeros():
    study = make_study(
        1, scale_minimum=Decimal(-10), scale_maximum=Decimal(10), scale_step=Decimal("2.5")
    )
    for point in ("-2.5", "10"):
        assignment = start(study)
        record_engagement(progress_of(assignment), "sea", "salt")
        record_rating(progress_of(assignment), Decimal(point))

    assert exported(study, "rating") == [("-2.5",), ("10",)]


@pytest.mark.parametrize(
    ("word", "written"),
    [("=1+1", "'=1+1"), ("+1", "'+1"), ("-1", "-1"), ("-1+1", "'-1+1"),
     ("@sum", "'@sum"), ("\tx", "'\tx"),
     ("\rx", "'\nx"), ("a=b", "a=b"), ("čaj", "čaj"), ("a\r\nb\rc", "a\nb\nc")],
)  # fmt: skip
def test_stream_responses_escapes_formulas_and_line_breaks(word, written):
    study = make_study(1)
    record_engagement(progress_of(start(study)), "sea", "salt")
    Response.objects.filter(engaged_at__isnull=False).update(written1=word)

    assert exported(study, "inspired_word1", "inspired_word2") == [(written, "salt")]


def test_stream_responses_yields_the_header_before_any_query():
    study = make_study(1)
    finish(start(study))

    with CaptureQueriesContext(connection) as queries:
        header = next(stream_responses(study))

    assert header == ",".join(RESPONSE_COLUMNS) + "\n"
    assert len(queries) == 0


@pytest.mark.parametrize("n_rows", [ROWS_A_CHUNK, ROWS_A_CHUNK + 1])
def test_stream_responses_yields_chunks(n_rows):
    study = make_study(n_rows, block_size=n_rows)
    start(study)
    Response.objects.update(written1="a", written2="b", engaged_at=timezone.now())

    with CaptureQueriesContext(connection) as queries:
        chunks = list(stream_responses(study))

    n_lines = [chunk.count("\n") for chunk in chunks]
    assert n_lines == [1, ROWS_A_CHUNK, *[1] * (n_rows - ROWS_A_CHUNK)]
    assert len(queries) <= 1  # a server-side cursor is not counted


def test_stream_responses_contains_no_note_or_token():
    study = make_study(1)
    (invitation,) = invite_listed(study, ["anna@example.org"]).new
    assignment = start(study, invitation)
    finish(assignment)

    text = "".join(stream_responses(study))

    secrets = [invitation.note, invitation.token, assignment.token]
    assert [secret for secret in secrets if secret in text] == []


def test_stream_invitations_has_the_state_of_each_link():
    study = make_study(2, ratings_per_context=5)
    states = ["unused", "offered", "started", "submitted", "returned", "withdrawn", "revoked"]
    links = {link.note: link for link in invite_listed(study, states).new}
    start_assignment(links["offered"])
    begun = {state: start(study, links[state]) for state in states[2:]}
    finish(begun["submitted"])
    return_assignment(begun["returned"], "")
    withdraw_annotator(begun["withdrawn"].annotator)
    revoke_invitation(links["revoked"], "sent twice")
    Invitation.objects.update(created_at=at(7))

    assert read(stream_invitations(study, SITE)) == [
        {
            "note": state,
            "link": f"{SITE}/invitation/{links[state].token}/",
            "state": state,
            "created_at": "2026-05-04T03:02:01.007Z",
        }
        for state in states
    ]


def test_stream_invitations_escapes_formulas():
    study = make_study(1)
    invite_listed(study, ["=1+1"])

    assert [row["note"] for row in read(stream_invitations(study, SITE))] == ["'=1+1"]


def test_stream_invitations_has_entrances_only_on_request():
    study = make_study(1)
    (personal,) = invite_annotators(study, 1)
    invite_scripted_annotators(study, 1)
    invite_annotators(make_study(1, slug="other"), 1)
    start_through(open_entrance(study, "link"), "t" * 22)

    def tokens(**options: bool) -> list[str]:
        rows = read(stream_invitations(study, SITE, **options))
        return [row["link"].split("/")[-2] for row in rows]

    assert tokens() == [personal.token]
    assert tokens(with_entrances=True) == [personal.token, "t" * 22]


def test_stream_invitations_has_a_header_even_without_rows():
    assert list(stream_invitations(make_study(1), SITE)) == [",".join(INVITATION_COLUMNS) + "\n"]
