import csv
import io
from datetime import datetime, timedelta

import pytest
from django.contrib.auth.models import User
from django.utils import timezone
from pyarrow import parquet

from surveys.access.roles import grant_role
from surveys.models import Annotator, Assignment, Invitation, Response, Role
from surveys.models.participation import make_token
from surveys.participation.arrivals import start_through
from surveys.recruitment.links import invite_listed, open_entrance
from surveys.recruitment.providers import Claims
from surveys.results.export_parquet import stream_responses_as_parquet
from tests.factories.programs import errors_of
from tests.factories.second_looks import list_annotators, look_again, looking_study
from tests.factories.studies import finish, make_study, rate_due, start

WORKER = "5f0c0ffee0000000000000aa"
PATH = "studies/study/responses/"


@pytest.fixture
def answered(study):
    """A study with two finished assignments and one that is started."""
    finish(start(study), rating=2)
    finish(start(study), rating=4)
    rate_due(start(study), 6)
    return study


@pytest.mark.every_database
def test_responses_are_paginated_without_repeats(answered, program):
    asking, rows = program(), []

    page = asking.get(PATH, limit=2).json()
    while True:
        rows += page["results"]
        if page["next"] is None:
            break
        page = asking.client.get(page["next"]).json()

    assert [row["position"] for row in rows] == [1, 2, 1, 2, 1]
    assert [row["rating"] for row in rows] == [2, 2, 4, 4, 6]
    assert len({(row["annotator"], row["position"]) for row in rows}) == 5
    assert rows[0]["inspired_word1"] == "sea"
    assert rows[0]["checkpoint"] is False


@pytest.mark.every_database
def test_responses_are_filtered(answered, program):
    asking = program()
    code = Annotator.objects.order_by("pk").first().code
    later = (timezone.now() + timedelta(hours=1)).isoformat()

    def count(**wanted):
        return len(asking.get(PATH, **wanted).json()["results"])

    assert count(block=1) == 5
    assert count(block=2) == 0
    assert count(context=1) + count(context=2) == 5
    assert count(annotator=code) == 2
    assert count(state="submitted") == 4
    assert count(since=later) == 0
    assert count(since="0480-11-22T14:10:18Z") == 5
    assert count(since="2020-01-01T00:00:00Z", annotator=code, state="submitted") == 2


INVALID = [
    {"block": "x"}, {"block": "0"}, {"context": "3"}, {"state": "gone"}, {"since": "2020"},
    {"since": "yesterday"}, {"annotator": "x" * 17}, {"worker": "1"}, {"annotator": "\0"},
    {"since": "2026-13-01T00:00:00Z"}, {"block": "101430810970591313920"},
]  # fmt: skip
SINCE = {
    "0480-11-22T14:10:18Z": 200,
    "2026-12-31t23:59:59.1234567-23:59": 200,
    "0000-02-29T00:00:00z": 422,
    "0001-01-01T00:00:00+23:59": 422,  # before the year 1 in UTC
    "2026-12-31T23:59:60Z": 422,
}


@pytest.mark.parametrize("ending", ["/", ".csv", ".parquet"])
def test_invalid_filters_are_named(answered, program, ending):
    asking = program()

    for wrong in INVALID:
        answer = asking.get(PATH.rstrip("/") + ending, **wrong)
        assert (wrong, answer.status_code) == (wrong, 422)
        assert {error["field"] for error in answer.json()["errors"]} == set(wrong)


@pytest.mark.parametrize("ending", ["/", ".csv", ".parquet"])
def test_since_accepts_instants_from_year_1_without_leap_seconds(answered, program, ending):
    asking = program()

    answers = {since: asking.get(PATH.rstrip("/") + ending, since=since) for since in SINCE}

    assert {since: answer.status_code for since, answer in answers.items()} == SINCE


@pytest.mark.every_database
def test_a_filter_without_matches_returns_no_rows(answered, program):
    assert program().get(PATH, block=2**31 - 1).json()["results"] == []


@pytest.mark.every_database
def test_csv_and_parquet_hold_the_same(answered, program):
    asking = program()
    later = timezone.now() + timedelta(hours=1)
    ends = later.replace(second=59, microsecond=999_999)  # rounded it is the next minute
    rated = Response.objects.exclude(rated_at=None)
    rated.filter(position=1).update(rated_at=ends)
    rated.filter(position=2).update(rated_at=ends.replace(microsecond=0))

    sent = asking.get("studies/study/responses.csv", state="submitted")
    text = sent.getvalue().decode()
    packed = asking.get("studies/study/responses.parquet", state="submitted").getvalue()

    assert sent["Content-Disposition"].startswith("attachment; filename=")
    written = list(csv.DictReader(io.StringIO(text)))
    table = parquet.read_table(io.BytesIO(packed))
    rows = table.to_pylist()
    assert table.column_names == list(written[0])
    assert len(rows) == len(written) == 4
    assert [row["rating"] for row in rows] == [float(row["rating"]) for row in written]
    assert [row["pair"] for row in rows] == [int(row["pair"]) for row in written]
    assert [row["rated_at"] for row in rows] == [
        datetime.fromisoformat(row["rated_at"]) for row in written
    ]
    assert [row["rated_at"][17:] for row in written] == ["59.999Z", "59.000Z"] * 2
    assert {row["is_scripted"] for row in rows} == {False}


@pytest.mark.every_database
def test_parquet_is_written_a_group_at_a_time(answered, monkeypatch):
    monkeypatch.setattr("surveys.results.export_parquet.ROWS_A_GROUP", 2)

    pieces = list(stream_responses_as_parquet(answered))

    packed = parquet.ParquetFile(io.BytesIO(b"".join(pieces)))
    assert packed.num_row_groups == 3
    assert len(pieces) == 4


def test_parquet_without_responses_has_all_columns(study):
    packed = b"".join(stream_responses_as_parquet(study))

    assert parquet.read_table(io.BytesIO(packed)).num_rows == 0


@pytest.mark.parametrize("n", [1, 4])
def test_responses_make_a_constant_number_of_queries(program, study, n, django_assert_num_queries):
    asking = program()
    for _ in range(n):
        finish(start(study))
    asking.get("studies/")

    with django_assert_num_queries(4):  # token, study, role, responses
        asking.get(PATH)


def test_no_personal_data_is_in_api_responses(program, study, settings):
    """No response contains a provider id, a note or a link."""
    finish(start(study, invite_listed(study, ["anna@example.org"]).new[0]))
    prolific = open_entrance(study, "prolific", completion_code="DONE")
    start_through(prolific, make_token(), Claims({}, "study1", "session1", WORKER))
    asking = program()

    paths = ["studies/", "studies/study/", "studies/study/pairs/", "studies/study/design/",
             "studies/study/progress/", PATH, "studies/study/responses.csv",
             "studies/study/invitations/", "studies/study/runs/", "studies/study/releases/",
             "studies/study/description/", "studies/study/webhooks/"]  # fmt: skip
    said = {path: asking.get(path).getvalue().decode() for path in paths}

    tokens = {*Assignment.objects.values_list("token", flat=True), prolific.token}
    links = set(Invitation.objects.values_list("token", flat=True))
    for path, text in said.items():
        assert WORKER not in text
        assert "anna@example.org" not in text
        assert not any(token in text for token in tokens), path
        assert any(link in text for link in links) == (path == "studies/study/invitations/")


def test_links_are_created_listed_and_revoked(program, study):
    asking, path = program(), "studies/study/invitations/"

    made = asking.post(path, {"notes": ["b", "a"]})
    again = asking.post(path, {"notes": ["a", "c"]}).json()
    first = made.json()["invitations"][0]
    revoked = asking.post(f"{path}{first['id']}/revocation/", {"because": "a test"})

    assert made.status_code == 201
    assert made.json()["n_new"] == 2
    assert "Set SITE_URL" in made.json()["warning"]
    assert again["n_new"] == 1
    assert again["invitations"][0] == made.json()["invitations"][1]
    assert Invitation.objects.get(pk=first["id"]).note == "b"
    assert revoked.json()["state"] == "revoked"
    states = [one["state"] for one in asking.get(path).json()["results"]]
    assert states == ["revoked", "unused", "unused"]


@pytest.mark.parametrize(
    "body",
    [{}, {"count": 1, "notes": ["a"]}, {"count": 0}, {"count": 1001}, {"notes": []},
     {"notes": [""]}, {"notes": ["x" * 201]}, {"notes": "a"}, {"notes": [1]}, {"count": "2"}],
)  # fmt: skip
def test_an_invalid_list_of_notes_creates_no_link(program, study, body):
    answer = program().post("studies/study/invitations/", body)

    assert answer.status_code == 422
    assert errors_of(answer)
    assert not Invitation.objects.exists()


def test_links_of_another_study_are_not_revoked(program, study):
    other = invite_listed(make_study(1, slug="other"), ["a"]).new[0]

    answer = program().post(f"studies/study/invitations/{other.pk}/revocation/", {"because": "x"})

    assert answer.status_code == 404


@pytest.mark.every_database
def test_second_answers_are_listed(program):
    study = looking_study(slug="looked")
    user, third = User.objects.get(username="ana"), list_annotators(study)[2]
    grant_role(study, user, Role.REVIEWER)
    look_again(third, 4, "1.5")

    rows = program(None).get("studies/looked/second-answers/").json()["results"]

    assert len(rows) == 6
    (changed,) = (row for row in rows if row["decision"] == "changed")
    assert (changed["pair"], changed["annotator"]) == (4, third.code)
    ratings = [changed[name] for name in ("rating_before", "others_sum", "n_others", "rating")]
    assert ratings == [4, 0, 2, 1.5]
