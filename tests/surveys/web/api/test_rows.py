import pytest
from django.contrib.auth.models import User

from surveys.access.roles import grant_role
from surveys.models import AuditEntry, Pair, Role, Study
from tests.factories.programs import errors_of
from tests.factories.studies import numbered_stimuli, open_draft

NEW = {
    "slug": "new",
    "language": "en",
    "ratings_per_context": 2,
    "stimuli": numbered_stimuli(3).decode(),
}
PATH = "studies/new/pairs/"
ONCE = {"Idempotency-Key": "k"}


@pytest.fixture
def rows_program(study, program):
    """The program of the owner of a new draft of three rows."""
    asking = program(None)
    assert asking.post("studies/", NEW).status_code == 201
    return asking


def list_words():
    pairs = Pair.objects.filter(study__slug="new").order_by("position")
    return list(pairs.values_list("position", "word1"))


def read_row(asking, number):
    """Return a row of the list as its own page shows it."""
    listed = asking.get(PATH).json()["results"][number - 1]
    answer = asking.get(f"{PATH}{listed['id']}/")
    assert answer.status_code == 200
    return answer.json()


def change(asking, row, headers=None, *, about=None, **columns):
    about = {"reason": "a slip", "shown": row["shown"], "columns": columns, **(about or {})}
    return asking.post(f"{PATH}{row['id']}/revision/", about, **headers or {})


def drop(asking, row, headers=None):
    about = {"reason": "too easy", "shown": row["shown"]}
    return asking.post(f"{PATH}{row['id']}/removal/", about, **headers or {})


def test_a_row_is_shown_by_the_columns_of_the_file(rows_program):
    row = read_row(rows_program, 2)

    columns, _, second, *_ = NEW["stimuli"].splitlines()
    assert row["columns"] == dict(zip(columns.split("\t"), second.split("\t"), strict=True))
    assert row["position"] == 2


def test_columns_of_a_row_are_changed_and_the_others_stay(rows_program):
    row = read_row(rows_program, 2)

    answer = change(rows_program, row, word1="other")

    assert answer.status_code == 200
    columns = {**row["columns"], "word1": "other"}
    assert answer.json() == {**row, "columns": columns, "shown": answer.json()["shown"]}
    assert answer.json()["shown"] != row["shown"]
    entry = AuditEntry.objects.get(action="stimuli.revised")
    assert (entry.actor, entry.details["reason"]) == ("ana", "a slip")


def test_a_row_with_an_idempotency_key_is_changed_once(rows_program):
    row = read_row(rows_program, 2)

    answers = [change(rows_program, row, ONCE, word1="other") for _ in range(2)]

    assert [answer.status_code for answer in answers] == [200, 200]
    assert answers[0].json() == answers[1].json() == read_row(rows_program, 2)
    assert AuditEntry.objects.filter(action="stimuli.revised").count() == 1


def test_a_row_changed_since_it_was_read_is_refused(rows_program):
    row = read_row(rows_program, 1)
    change(rows_program, row, word1="first")

    answers = [change(rows_program, row, word1="second"), drop(rows_program, row)]

    assert [(a.status_code, errors_of(a)[0][0]) for a in answers] == [(409, "StimuliChanged")] * 2
    assert [word for _, word in list_words()] == ["first", "alpha2", "alpha3"]


def test_errors_in_a_row_name_their_column(rows_program):
    row = read_row(rows_program, 2)

    answer = change(rows_program, row, word1="", word1_context1="elsewhere")

    assert answer.status_code == 409
    found = {(error["row"], error["column"]) for error in answer.json()["errors"]}
    assert found >= {(2, "word1"), (2, "context1")}
    assert read_row(rows_program, 2) == row


@pytest.mark.parametrize(
    ("asked", "field"),
    [
        ({"reason": ""}, "reason"), ({"reason": "x" * 201}, "reason"), ({"shown": None}, "shown"),
        ({"columns": {"word1": 3}}, "columns.word1"), ({"columns": None}, "columns"),
        ({"columns": {"context1": "x" * 20_001}}, "columns.context1"), ({"word1": "x"}, "word1"),
    ],
)  # fmt: skip
def test_invalid_fields_of_a_row_request_are_named(rows_program, asked, field):
    answer = change(rows_program, read_row(rows_program, 1), about=asked)

    assert answer.status_code == 422
    assert [error["field"] for error in answer.json()["errors"]] == [field]


def test_a_column_that_the_file_lacks_is_refused(rows_program):
    answer = change(rows_program, read_row(rows_program, 1), word3="x")

    assert (answer.status_code, errors_of(answer)[0][0]) == (409, "ImportRefused")


def test_a_row_with_an_idempotency_key_is_removed_once(rows_program):
    row = read_row(rows_program, 2)
    before = Study.objects.get(slug="new").stimuli_sha256

    answers = [drop(rows_program, row, ONCE) for _ in range(2)]

    assert [answer.status_code for answer in answers] == [200, 200]
    assert answers[1]["Idempotent-Replayed"] == "true"
    assert list_words() == [(1, "alpha1"), (2, "alpha3")]
    digest = Study.objects.get(slug="new").stimuli_sha256
    assert answers[0].json()["stimuli_sha256"] == digest != before
    assert drop(rows_program, row).status_code == 404
    assert AuditEntry.objects.get(action="stimuli.dropped").details["reason"] == "too easy"


def test_the_only_row_cannot_be_removed(rows_program):
    for _ in range(2):
        drop(rows_program, read_row(rows_program, 1))

    answer = drop(rows_program, read_row(rows_program, 1))

    assert (answer.status_code, errors_of(answer)[0][0]) == (409, "ImportRefused")
    assert list_words() == [(1, "alpha3")]


def test_rows_of_an_open_study_cannot_be_changed(rows_program):
    row = read_row(rows_program, 1)
    open_draft(Study.objects.get(slug="new"))

    answers = [change(rows_program, row, word1="other"), drop(rows_program, row)]

    assert [(a.status_code, errors_of(a)[0][0]) for a in answers] == [(409, "StudyOpen")] * 2
    assert read_row(rows_program, 1) == row


def test_a_reviewer_reads_rows_and_changes_none(rows_program, program):
    row = read_row(rows_program, 1)
    reading = program(None, name="eva")
    grant_role(Study.objects.get(slug="new"), User.objects.get(username="eva"), Role.REVIEWER)

    assert read_row(reading, 1) == row
    assert change(reading, row, word1="other").status_code == 403
    assert drop(reading, row).status_code == 403


def test_a_row_of_another_study_is_not_found(rows_program, study):
    row = {"id": study.pairs.first().pk, "shown": "x"}

    assert rows_program.get(f"{PATH}{row['id']}/").status_code == 404
    assert change(rows_program, row, word1="other").status_code == 404
    assert drop(rows_program, row).status_code == 404


@pytest.mark.parametrize("number", [1, 3])
def test_a_row_makes_a_constant_number_of_queries(rows_program, number, django_assert_num_queries):
    where = f"{PATH}{read_row(rows_program, number)['id']}/"

    with django_assert_num_queries(5):  # token, study, role, pair, contexts
        rows_program.get(where)
