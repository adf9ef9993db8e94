"""Submissions by the API: checked, submitted, listed and changed, as on the pages of teams."""

import io
import zipfile
from datetime import timedelta
from functools import partial

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from surveys.access.api_tokens import make_token
from surveys.access.idempotency import RETENTION
from surveys.access.sign_in_limits import Limit
from surveys.models import IdempotencyRecord
from surveys.sharedtasks.models import (
    Organiser,
    RefusedUpload,
    Submission,
    SubmissionState,
    Team,
    TeamKind,
    TeamState,
    Upload,
)
from surveys.sharedtasks.teams import rates
from surveys.sharedtasks.teams.description import accept_terms
from surveys.sharedtasks.uploads import LARGEST_UPLOAD
from tests.factories.programs import Program, errors_of
from tests.factories.sharedtasks import (
    START,
    make_data,
    make_phase,
    make_shared_task,
    make_team,
    predictions,
    result_file,
    score_all,
)

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("stopped_budgets")]
ADDRESS = "/api/v1/shared-tasks/gwsc/submissions/"
FIRST = "shared-tasks/gwsc/submissions/evaluation/1/"
END = START + timedelta(days=7)


@pytest.fixture
def poster(phase, team, clock):
    """The program of a member of a team, while a phase is open."""
    return program_of("otters")


def program_of(name, *scopes):
    user = User.objects.get(username=name)
    n_tokens = user.api_tokens.count()
    return Program(make_token(user, f"program {n_tokens}", scopes or ["sharedtasks:write"])[1])


def send(program, *files, dry="", address=ADDRESS, key="", **fields):
    """Send files; by default changes for subtask 1."""
    named = [SimpleUploadedFile(*one) for one in files or [result_file(predictions())]]
    form = {"phase": "evaluation", **fields, "results": named}
    headers = {"Idempotency-Key": key} if key else {}
    return program.client.post(address + dry, form, headers=headers)


check = partial(send, dry="?dry=1")


def send_seed(program, seed, subtask=1, **more):
    return send(program, result_file(predictions(seed), subtask), **more)


def test_a_check_answers_what_the_page_says_and_counts_nothing(poster):
    send_seed(poster, 2)
    numbers = result_file([1] * 12)

    answer = check(poster, numbers, ("x/.DS_Store", b"x"))

    assert answer.status_code == 200
    found = answer.json()
    (file,) = found["files"]
    assert (found["phase"], found["attempt"], found["attempts"]) == (
        "evaluation", 2,
        {"used": 1, "limit": 9, "used_today": 1, "limit_today": None, "left": 8},
    )  # fmt: skip
    assert (file["subtask"], file["language"], file["n_pairs"]) == (1, "sl", 12)
    assert len(file["sha256"]) == 64
    assert [(one["file"], one["row"], one["column"]) for one in found["warnings"]] == [
        ("results_subtask1_sl.tsv", None, None), (".DS_Store", None, None),
    ]  # fmt: skip
    assert found["warnings"][0]["reason"] == "all predictions are equal"
    assert Submission.objects.count() == 1
    assert Upload.objects.count() == 1  # of the submission; a check keeps nothing


def test_a_submission_is_stored_and_counted(poster, team):
    answer = send(poster, note=" layer 17 ")

    assert answer.status_code == 201
    stored = Submission.objects.get()
    assert (stored.team, stored.sent_by.username, stored.sent_at, stored.note) == (
        team, "otters", START, "layer 17",
    )  # fmt: skip
    (contents,) = stored.contents
    assert answer.json() == {
        "phase": "evaluation",
        "number": 1,
        "sent_at": "2027-01-01T12:00:00Z",
        "sent_by": "otters",
        "state": "stored",
        "state_reason": "",
        "note": "layer 17",
        "sha256": stored.file_sha256,
        "files": [{"subtask": 1, "language": "sl", "n_pairs": 12, "sha256": contents["sha256"]}],
        "warnings": [],
        "counts_for": [],
        "shows_scores": False,
        "scores": [],
        "attempts": {"used": 1, "limit": 9, "used_today": 1, "limit_today": None, "left": 8},
    }


def test_several_files_and_an_archive_are_the_same(poster):
    files = [result_file(predictions(), subtask) for subtask in (1, 2)]
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name, content in files:
            archive.writestr(f"run/{name}", content)

    loose, zipped = (
        check(poster, *files).json(),
        check(poster, ("a.zip", packed.getvalue())).json(),
    )

    assert loose["files"] == zipped["files"]
    assert len(loose["files"]) == 2
    assert "in the folder run" in zipped["warnings"][0]["reason"]


@pytest.mark.parametrize("dry", ["", "?dry=1"])
def test_refused_files_name_file_row_and_column(poster, dry):
    name, content = result_file(predictions())
    wrong = content.replace(b"\n", b"\n0,5\n", 1)

    answer = send(poster, (name, wrong), ("notes.txt", b"x"), dry=dry)

    assert answer.status_code == 422
    errors = answer.json()["errors"]
    assert {one["code"] for one in errors} == {"UploadRefused"}
    places = {(one["file"], one["row"], one["column"]) for one in errors}
    assert (name, 1, "change") in places
    assert ("notes.txt", None, None) in places
    assert any("decimal comma" in one["message"] for one in errors)
    assert not Submission.objects.exists()
    assert not Upload.objects.exists()
    assert RefusedUpload.objects.count() == 1  # as on the page: the organisers see the reasons


def test_findings_beyond_the_first_are_counted(poster):
    name, _ = result_file(predictions())
    body = "change\n" + "".join(f"x{number}\n" for number in range(12))

    errors = check(poster, (name, body.encode()), *[(f"{n}.txt", b"x") for n in range(20)]).json()

    assert len(errors["errors"]) == 21
    assert errors["errors"][-1] == {
        "code": "UploadRefused", "message": "and 12 more", "file": None, "row": None,
        "column": None,
    }  # fmt: skip


@pytest.mark.parametrize("dry", ["", "?dry=1"])
def test_the_same_predictions_are_refused_by_naming_the_earlier_submission(poster, dry):
    send(poster)

    answer = send(poster, dry=dry)

    assert answer.status_code == 409
    ((code, message),) = errors_of(answer)
    assert code == "SubmissionRefused"
    assert message.startswith("These are the predictions of your submission 1 of 2027-01-01 12:00")
    assert Submission.objects.count() == 1


def test_the_ninth_attempt_is_the_last(poster):
    for n in range(9):
        made = send_seed(poster, n // 2, 1 + n % 2)
        assert made.json()["attempts"]["left"] == 8 - n

    checked, refused = (
        check(poster, result_file(predictions(6))),
        send_seed(poster, 6),
    )

    assert (checked.json()["attempt"], checked.json()["attempts"]["left"]) == (10, 0)
    assert refused.status_code == 409
    assert "All 9 attempts of the phase evaluation are used up." in errors_of(refused)[0]
    assert Submission.objects.count() == 9


def test_a_request_that_began_a_second_before_the_end_is_in_time(poster, clock):
    clock.at = END - timedelta(seconds=1)

    assert send(poster).status_code == 201


@pytest.mark.parametrize("dry", ["", "?dry=1"])
def test_what_is_late_is_refused_with_the_name_of_an_open_phase(poster, clock, shared_task, dry):
    make_phase(shared_task, "post-evaluation", opens_at=END, closes_at=None)
    clock.at = END

    late = send(poster, dry=dry)

    assert late.status_code == 409
    (error,) = late.json()["errors"]
    assert (error["code"], error["phases"]) == ("TooLate", ["post-evaluation"])
    assert "You may submit in the phase post-evaluation instead." in error["message"]
    assert not Submission.objects.exists()
    assert send(poster, phase="post-evaluation").status_code == 201


def test_a_phase_that_has_not_begun_takes_nothing(poster, clock):
    clock.at = START - timedelta(seconds=1)

    answer = send(poster)

    assert (answer.status_code, errors_of(answer)[0][0]) == (409, "SubmissionRefused")
    assert "opens on 2027-01-01 at 12:00 UTC" in errors_of(answer)[0][1]


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"phase": "no phase"}, "phase"),
        ({"note": "x" * 301}, "note"),
        ({"more": "1"}, "more"),
    ],
)
def test_an_invalid_field_is_refused(poster, fields, field):
    answer = send(poster, **fields)

    assert answer.status_code == 422
    assert [one["field"] for one in answer.json()["errors"]] == [field]
    assert not Submission.objects.exists()


@pytest.mark.parametrize(
    "form", [{}, {"phase": "evaluation"}, {"phase": "evaluation", "results": "x"}]
)
def test_a_form_without_files_is_refused(poster, form):
    answer = poster.client.post(ADDRESS, form)

    assert answer.status_code == 422
    assert "results" in [one["field"] for one in answer.json()["errors"]]


def test_a_phase_that_does_not_exist_is_not_found(poster):
    answer = send(poster, phase="practice")

    assert answer.status_code == 404
    assert errors_of(answer) == [
        ("not_found", "The shared task has no phase practice. Phases: evaluation.")
    ]


@pytest.mark.parametrize("query", ["?dry=yes", "?dry=", "?drry=1"])
def test_an_invalid_query_submits_nothing(poster, query):
    assert send(poster, dry=query).status_code == 422
    assert not Submission.objects.exists()


def test_a_request_without_a_form_is_refused(poster):
    answer = poster.post("shared-tasks/gwsc/submissions/", {"phase": "evaluation"})

    assert (answer.status_code, errors_of(answer)[0][0]) == (415, "unsupported_media_type")


@pytest.mark.parametrize("n_more", [-1000, 200_000])
def test_more_than_four_megabytes_are_too_large(poster, n_more):
    name, content = result_file(predictions())
    padded = content + b"\n" * (LARGEST_UPLOAD - len(content) + n_more)

    answer = send(poster, (name, padded), ("results_subtask2_sl.tsv", b"x" * 1001))

    assert (answer.status_code, errors_of(answer)[0][0]) == (413, "too_large")
    assert not RefusedUpload.objects.exists()


def test_checks_and_submissions_have_the_rates_of_the_pages(poster, shared_task):
    make_team(shared_task, "Herons")
    make_phase(shared_task, "later", opens_at=END, closes_at=None)

    early = {check(poster, phase="later").status_code for _ in range(5)}
    checks = [check(poster, ("x.tsv", b"x")).status_code for _ in range(31)]
    refused = check(poster)
    other = check(program_of("herons"))  # at the same address

    assert (checks.count(422), checks[-1]) == (30, 429)
    assert errors_of(refused)[0][0] == "TooManyRequests"
    assert "Too many checks within an hour" in errors_of(refused)[0][1]
    assert int(refused["Retry-After"]) == 120
    assert (other.status_code, early) == (200, {409})


def test_ten_submissions_within_an_hour_are_too_many_for_an_eleventh(poster, phase):
    phase.attempts_total = None
    phase.save()

    sent = [send_seed(poster, n // 2, 1 + n % 2) for n in range(11)]

    assert [one.status_code for one in sent] == [201] * 10 + [429]
    assert int(sent[-1]["Retry-After"]) == 360
    assert "Too many submissions" in errors_of(sent[-1])[0][1]
    assert Submission.objects.count() == 10


def test_terms_are_accepted_first(poster, shared_task, team):
    shared_task.terms = "Be fair."
    shared_task.save()

    refused = [send(poster, dry=dry) for dry in ("", "?dry=1")]
    accept_terms(Team.objects.get(pk=team.pk), now=START)

    assert {one.status_code for one in refused} == {409}
    assert errors_of(refused[0])[0][0] == "TeamRefused"
    assert send(poster).status_code == 201


@pytest.mark.parametrize("state", [TeamState.PENDING, TeamState.EXCLUDED, TeamState.WITHDRAWN])
def test_teams_that_are_not_accepted_submit_nothing(poster, state):
    send(poster)
    Team.objects.update(state=state)

    assert send_seed(poster, 2).status_code == 409
    assert check(poster, result_file(predictions(2))).status_code == 409
    assert Submission.objects.count() == 1
    assert poster.get(FIRST).status_code == 200


def test_a_repeated_request_gets_the_same_answer_and_uses_one_attempt(poster, clock):
    first = send(poster, key="run-1", note="layer 17")
    clock.at = END  # also after the end, if the answer was lost
    again = send(poster, key="run-1", note="layer 17")
    other = send(poster, key="run-1", note="layer 18")

    assert (again.status_code, again.json()) == (201, first.json())
    assert again["Idempotent-Replayed"] == "true"
    assert (other.status_code, errors_of(other)[0][0]) == (409, "KeyReused")
    assert Submission.objects.count() == 1


def test_a_key_is_forgotten_after_a_day(poster):
    send(poster, key="run-1")
    IdempotencyRecord.objects.update(created_at=timezone.now() - RETENTION - timedelta(minutes=1))

    answer = send(poster, key="run-1")

    assert (answer.status_code, errors_of(answer)[0][0]) == (409, "SubmissionRefused")


def test_refused_files_may_be_corrected_under_the_same_key(poster):
    assert send(poster, ("x.tsv", b"x"), key="run-1").status_code == 422
    assert RefusedUpload.objects.count() == 1
    assert send(poster, key="run-1").status_code == 201


def test_scores_are_shown_where_the_phase_shows_them(poster, phase):
    send(poster)
    score_all()
    hidden = poster.get(FIRST).json()

    phase.visibility = "own"
    phase.save()
    shown = poster.get(FIRST).json()

    assert (hidden["state"], hidden["shows_scores"], hidden["scores"]) == ("scored", False, [])
    assert shown["shows_scores"]
    (score,) = shown["scores"]
    stored = Submission.objects.get().scores.get()
    assert score == {
        "subtask": 1, "language": "sl", "score": round(stored.score, 3),
        "low": None, "high": None, "pearson": None, "spearman": None, "n_pairs": 12, "reason": "",
    }  # fmt: skip
    assert stored.score != score["score"]


def test_history_is_listed_page_by_page(poster):
    for seed in range(3):
        send_seed(poster, seed)

    first = poster.get("shared-tasks/gwsc/submissions/", limit=2).json()
    second = poster.client.get(first["next"]).json()

    assert [one["number"] for one in (*first["results"], *second["results"])] == [1, 2, 3]
    assert second["next"] is None
    assert poster.get(FIRST).json() == first["results"][0]


def test_history_asks_as_often_for_one_row_as_for_three(poster, phase):
    phase.visibility = "own"
    phase.save()
    counts = []
    for seed in range(3):
        send_seed(poster, seed)
        score_all()
        with CaptureQueriesContext(connection) as asked:
            poster.get("shared-tasks/gwsc/submissions/")
        counts.append(len(asked))

    assert counts[0] == counts[1] == counts[2] <= 10


def test_a_note_is_changed(poster):
    send(poster)

    answer = poster.send("patch", FIRST, {"note": "layer 18"})

    assert (answer.status_code, answer.json()["note"]) == (200, "layer 18")
    assert Submission.objects.get().note == "layer 18"
    assert poster.send("patch", FIRST, {"note": "x" * 301}).status_code == 422


def test_a_submission_is_withdrawn_once_and_its_attempt_stays_used(poster):
    send(poster)

    first, again = (poster.post(f"{FIRST}withdrawal/") for _ in range(2))

    assert (first.status_code, first.json()["state"]) == (200, "withdrawn")
    assert again.json() == first.json()
    assert check(poster, result_file(predictions(2))).json()["attempts"]["used"] == 1


def test_a_cancelled_submission_is_not_withdrawn(poster):
    send(poster)
    Submission.objects.update(state=SubmissionState.CANCELLED)

    answer = poster.post(f"{FIRST}withdrawal/")

    assert (answer.status_code, errors_of(answer)[0][0]) == (409, "SubmissionRefused")


def test_the_submission_that_counts_is_chosen(poster, clock):
    for seed in (1, 2):
        send_seed(poster, seed)
    score_all()
    second = FIRST.replace("/1/", "/2/")
    assert poster.get(second).json()["counts_for"] == [1]

    answer = poster.post(f"{FIRST}choice/", {"subtask": 1})

    assert (answer.status_code, answer.json()["counts_for"]) == (200, [1])
    assert poster.get(second).json()["counts_for"] == []
    assert poster.post(f"{FIRST}choice/", {"subtask": 2}).status_code == 409
    assert poster.post(f"{FIRST}choice/", {"subtask": 0}).status_code == 422
    clock.at = END
    assert poster.post(f"{second}choice/", {"subtask": 1}).status_code == 409


@pytest.mark.parametrize("number", ["0", "2", "9" * 19, "9" * 400])
def test_a_number_without_a_submission_is_not_found(poster, number):
    send(poster)

    assert poster.get(FIRST.replace("/1/", f"/{number}/")).status_code == 404


def test_organisers_send_trial_runs_without_limits(phase, shared_task, clock):
    Organiser.objects.create(shared_task=shared_task, user=User.objects.create_user("ana"))
    organiser = program_of("ana")
    phase.attempts_total = 1
    phase.save()
    assert organiser.get("shared-tasks/gwsc/submissions/").json()["results"] == []
    assert organiser.get(FIRST).status_code == 404
    clock.at = START - timedelta(days=1)  # before it begins

    sent = [send_seed(organiser, n // 2, 1 + n % 2) for n in range(12)]
    score_all()

    assert {one.status_code for one in sent} == {201}
    assert sent[-1].json()["attempts"]["left"] is None
    assert {one.team.kind for one in Submission.objects.all()} == {TeamKind.TRIAL}
    shown = organiser.get(FIRST).json()
    assert (shown["shows_scores"], len(shown["scores"]), shown["counts_for"]) == (True, 1, [])
    for address in (f"{FIRST}withdrawal/", f"{FIRST}choice/"):
        assert organiser.post(address, {"subtask": 1}).status_code == 403
    assert organiser.send("patch", FIRST, {"note": "x"}).status_code == 403


@pytest.mark.every_database
@pytest.mark.django_db(transaction=True)
def test_sixty_requests_at_once_store_the_nine_attempts(
    transactional_db, request, settings, monkeypatch
):
    shared_task = make_shared_task()
    make_data(shared_task)
    now = timezone.now()
    make_phase(shared_task, opens_at=now - timedelta(hours=1), closes_at=None)
    make_team(shared_task)
    key = program_of("otters").headers["Authorization"].removeprefix("Bearer ")
    files = [[SimpleUploadedFile(*result_file([k, *predictions()[1:]]))] for k in range(60)]
    for name in ("CHECKS", "SUBMISSIONS"):
        monkeypatch.setattr(rates, name, Limit(100, timedelta(minutes=1)))
    settings.API_RATES = dict.fromkeys(settings.API_RATES, "1000/s")
    calls = request.getfixturevalue("at_once")

    outcomes = calls(
        *(
            partial(Program(key).client.post, ADDRESS, {"phase": "evaluation", "results": sent})
            for sent in files
        )
    )

    (numbers,) = calls(lambda: sorted(Submission.objects.values_list("number", flat=True)))
    statuses = [one.status_code for one in outcomes]
    assert (statuses.count(201), statuses.count(409)) == (9, 51)
    assert sorted(one.json()["number"] for one in outcomes if one.status_code == 201) == numbers
    assert numbers == [*range(1, 10)]


@pytest.mark.every_database
@pytest.mark.django_db(transaction=True)
def test_one_request_sent_eight_times_at_once_uses_one_attempt(transactional_db, request, settings):
    shared_task = make_shared_task()
    make_data(shared_task)
    make_phase(shared_task, opens_at=timezone.now() - timedelta(hours=1), closes_at=None)
    make_team(shared_task)
    key = program_of("otters").headers["Authorization"].removeprefix("Bearer ")
    calls = request.getfixturevalue("at_once")

    outcomes = calls(*(partial(send, Program(key), key="run-1") for _ in range(8)))

    (numbers,) = calls(lambda: list(Submission.objects.values_list("number", flat=True)))
    assert {one.status_code for one in outcomes} == {201}
    assert all(one.json() == outcomes[0].json() for one in outcomes)
    assert numbers == [1]
