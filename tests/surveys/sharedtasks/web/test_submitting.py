"""The pages on which a team submits and sees what it submitted, without JavaScript."""

import io
import zipfile
from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from postprocess.boards.advice.planning import expect_interval
from surveys.sharedtasks.models import (
    RefusedUpload,
    Submission,
    SubmissionState,
    Team,
    TeamState,
    Upload,
)
from tests.factories.clients import client_of
from tests.factories.sharedtasks import (
    START,
    make_phase,
    make_team,
    predictions,
    result_file,
    score_all,
)
from tests.surveys.sharedtasks.web.test_accounts import said

pytestmark = pytest.mark.shared_task(has_organiser=True)

HOME = "/tasks/gwsc/team/"
SUBMIT = f"{HOME}submit/"
END = START + timedelta(days=7)


@pytest.fixture(autouse=True)
def open_week(stopped_budgets, shared_task, phase, team, clock):
    """A shared task with data, a phase that is open, and a team."""


def check(client, *files, phase="evaluation", **more):
    """Send files to be checked; by default changes for subtask 1."""
    sent = files or [result_file(predictions())]
    named = [SimpleUploadedFile(name, content) for name, content in sent]
    return client.post(SUBMIT, {"phase": phase, "results": named}, **more)


def send(client, seed=1, subtask=1):
    """Check and submit files; return the address of the submission."""
    page = check(client, result_file(predictions(seed), subtask)).url
    return client.post(page, {"phase": "evaluation", "note": f"run {seed}"}).url


def test_only_teams_that_take_part_are_asked_for_files(leader, team):
    assert "Check the files" in said(leader.get(SUBMIT))

    for state in (TeamState.PENDING, TeamState.EXCLUDED, TeamState.WITHDRAWN):
        Team.objects.update(state=state)
        shown = said(leader.get(SUBMIT))
        assert "Check the files" not in shown
        assert "No phase is open" not in shown


def test_the_number_of_an_attempt_is_told_also_without_a_limit(leader, phase):
    phase.attempts_total = None
    phase.save()

    assert "This will be attempt 1 in evaluation" in said(leader.get(check(leader).url))


def test_files_are_checked_and_then_submitted(leader, team):
    shown = said(leader.get(SUBMIT)).replace("\xa0", " ")
    assert "1 week left" in shown
    assert "0 of 9 used" in shown

    page = check(leader).url
    assert not Submission.objects.exists()
    assert "This will be attempt 1 of 9 in evaluation" in said(leader.get(page))

    answer = leader.post(page, {"phase": "evaluation", "note": "layer 17"})

    stored = Submission.objects.get()
    assert answer.url == f"{HOME}submissions/evaluation/1/"
    assert (stored.team, stored.sent_by, stored.note, stored.sent_at) == (
        team, User.objects.get(username="otters"), "layer 17", START,
    )  # fmt: skip
    assert "1 of 9 used" in said(leader.get(SUBMIT))


def test_the_kit_is_offered_once_a_phase_has_begun(leader, clock):
    kit = "/tasks/gwsc/kit/evaluation/"

    assert kit in said(leader.get(HOME))
    assert leader.get(kit)["Content-Type"] == "application/zip"
    clock.at = START - timedelta(seconds=1)
    assert kit not in said(leader.get(HOME))
    assert leader.get(kit).status_code == 404


def test_refused_files_are_listed_and_no_attempt(leader):
    name, content = result_file(predictions())
    wrong = content.replace(b"\n", b"\n0,5\n", 1)

    answer = check(leader, (name, wrong), ("notes.txt", b"x"))

    assert answer.status_code == 422
    shown = said(answer)
    assert "The files were refused" in shown
    assert "decimal comma" in shown
    assert "notes.txt" in shown
    assert not Upload.objects.exists()
    assert not Submission.objects.exists()
    assert RefusedUpload.objects.count() == 1


def number_lines():
    return b"change\n" + b"".join(b"x%d\n" % number for number in range(30))


def test_equal_findings_are_one(leader):
    page = said(check(leader, ("results_subtask1_sl.tsv", b"change\n" + b"x\n" * 30)))

    assert page.count("is not a number") == 1
    assert "(rows 1 to 30)" in page


def test_many_findings_are_counted(leader):
    page = said(check(leader, ("results_subtask1_sl.tsv", number_lines())))

    assert page.count("is not a number") == 19  # and one about the rows
    assert "and 11 more" in page


def test_results_are_due_once_a_phase_is_open(leader, clock):
    later = "Submit results</a>, once a phase is open"

    assert later not in said(leader.get(HOME))
    clock.at = END
    assert later in said(leader.get(HOME))


def test_the_names_of_files_have_the_languages_of_the_shared_task(leader, shared_task):
    shared_task.parts.update(language="pt-BR")

    shown = said(leader.get(SUBMIT))

    assert "results_subtask1_pt-BR.tsv" in shown
    assert "results_subtask2_pt-BR.tsv" in shown
    assert "_sl.tsv" not in shown


def test_a_zip_archive_is_accepted_and_its_folder_told(leader):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        name, content = result_file(predictions())
        archive.writestr(f"run/{name}", content)

    page = check(leader, ("all.zip", packed.getvalue())).url

    assert "in the folder run" in said(leader.get(page))


@pytest.mark.parametrize("files", [[("results_subtask1_sl.tsv", b"")], [("data.zip", b"PK\3\4")]])
def test_faulty_files_are_refused(leader, files):
    assert check(leader, *files).status_code == 422
    assert not Upload.objects.exists()


def test_a_form_without_files_or_phase_says_so(leader):
    assert "Choose result files" in said(leader.post(SUBMIT, {"phase": "evaluation"}))
    assert check(leader, phase="none").status_code == 422
    assert not RefusedUpload.objects.exists()


def test_files_have_four_megabytes_at_most(leader):
    name, content = result_file(predictions())

    answer = check(leader, (name, content + b"\n" * 4_000_000))

    assert answer.status_code == 422
    assert "more than 4 MB together" in said(answer)


def test_sending_twice_submits_once(leader):
    page = check(leader).url

    first, second = (leader.post(page, {"phase": "evaluation"}) for _ in range(2))

    assert first.url == second.url == leader.get(page).url
    assert Submission.objects.count() == 1


def test_two_tabs_with_the_same_predictions_submit_once(leader):
    pages = [check(leader).url for _ in range(2)]

    leader.post(pages[0], {"phase": "evaluation"})
    second = leader.post(pages[1], {"phase": "evaluation"})

    assert second.status_code == 422
    assert "your submission 1" in said(second)
    assert Submission.objects.count() == 1


def test_the_ninth_attempt_is_the_last(leader):
    for n in range(9):
        send(leader, n // 2, subtask=1 + n % 2)
    page = check(leader, result_file(predictions(6))).url

    assert "No attempt is left" in said(leader.get(page))
    assert leader.post(page, {"phase": "evaluation"}).status_code == 422
    assert Submission.objects.count() == 9


def test_a_request_that_began_a_second_before_the_end_is_in_time(leader, clock):
    page = check(leader).url
    clock.at = END - timedelta(seconds=1)

    assert leader.post(page, {"phase": "evaluation"}).status_code == 302
    assert Submission.objects.get().sent_at == clock.at


def test_after_the_end_files_are_offered_to_a_later_phase(leader, shared_task, clock):
    page = check(leader).url
    make_phase(shared_task, "post-evaluation", opens_at=END, closes_at=None)
    clock.at = END

    late = leader.post(page, {"phase": "evaluation"})
    shown = said(leader.get(page))

    assert late.status_code == 422
    assert "The phase evaluation is over. Submit in a later phase?" in shown
    assert not Submission.objects.exists()
    assert leader.post(page, {"phase": "post-evaluation"}).url == (
        f"{HOME}submissions/post-evaluation/1/"
    )


def test_after_the_end_of_all_phases_nothing_is_submitted(leader, clock):
    page = check(leader).url
    clock.at = END

    assert "can no longer be submitted" in said(leader.get(page))
    assert leader.post(page, {"phase": "evaluation"}).status_code == 422
    assert "No phase is open now" in said(leader.get(SUBMIT))
    assert check(leader).status_code == 422
    assert not Submission.objects.exists()


def test_terms_are_accepted_before_anything_is_checked(leader, shared_task):
    shared_task.terms = "Be fair."
    shared_task.save()

    assert leader.get(SUBMIT).url == f"{HOME}terms/"
    assert check(leader).url == f"{HOME}terms/"
    assert not Upload.objects.exists()


@pytest.mark.parametrize("state", [TeamState.PENDING, TeamState.EXCLUDED, TeamState.WITHDRAWN])
def test_teams_that_are_not_accepted_submit_nothing(leader, state):
    page = check(leader).url
    Team.objects.update(state=state)

    assert check(leader, result_file(predictions(2))).status_code == 422
    assert leader.post(page, {"phase": "evaluation"}).status_code == 422
    assert not Submission.objects.exists()


def test_checks_and_submissions_have_rates(leader, phase):
    phase.attempts_total = None
    phase.save()
    pages = [check(leader, result_file(predictions(seed))).url for seed in range(6)]
    pages += [check(leader, result_file(predictions(seed), 2)).url for seed in range(6)]

    statuses = [leader.post(page, {"phase": "evaluation"}).status_code for page in pages]
    for _ in range(18):
        assert check(leader, ("x.tsv", b"x")).status_code == 422
    refused = check(leader)

    assert statuses == [302] * 10 + [422] * 2
    assert refused.status_code == 422
    assert "many checks within an hour. Nothing was counted. Try again in 2 minutes" in said(
        refused
    )


def test_what_is_refused_uses_no_rate(leader, shared_task):
    page = check(leader).url
    make_phase(shared_task, "later", opens_at=END, closes_at=None)
    nothing = {"phase": "evaluation"}
    for _ in range(40):
        assert check(leader, phase="later").status_code == 422
        assert leader.post(SUBMIT, nothing).status_code == 422
    shared_task.phases.update(attempts_total=0)
    for _ in range(15):
        assert "are used up" in said(leader.post(page, nothing))
    shared_task.phases.update(attempts_total=None)

    pages = [check(leader, distinct(n)).url for n in range(9)]
    assert [leader.post(page, nothing).status_code for page in [page, *pages]] == [302] * 10


def test_a_team_takes_nothing_from_another_at_its_address(leader, shared_task):
    make_team(shared_task, "Herons")
    sent = {"phase": "evaluation"}

    statuses = [leader.post(check(leader, distinct(n)).url, sent).status_code for n in range(24)]

    assert statuses == [302] * 9 + [422] * 15
    assert send(client_of("herons")).endswith("/evaluation/1/")


def distinct(n):
    """Return a result file that differs from those of other numbers."""
    return result_file([value + (n + 1) / 100 for value in predictions()])


def test_a_hidden_phase_shows_no_score_anywhere(leader):
    page = send(leader)
    score_all()
    pages = [page, f"{HOME}submissions/", f"{HOME}choice/", HOME, SUBMIT]

    shown = [said(leader.get(one)) for one in pages]

    assert "The files are valid" in shown[0]
    stored = Submission.objects.get().scores.get()
    for text in shown:
        assert f"{stored.score:.3f}" not in text
        assert "Pearson" not in text


@pytest.mark.parametrize("visibility", ["own", "board"])
def test_scores_that_may_be_seen_have_three_decimals(leader, phase, visibility):
    phase.visibility = visibility
    phase.save()
    page = send(leader)
    score_all()
    stored = Submission.objects.get().scores.get()

    shown = said(leader.get(page))

    assert f"<strong>{stored.score:.3f}</strong>" in shown
    assert "nterval" not in shown
    assert f"{stored.score:.4f}" not in shown
    assert "Pearson" not in shown
    assert f"{stored.score:.3f}" in said(leader.get(f"{HOME}submissions/"))
    result = f"/tasks/gwsc/results/{stored.submission.code}/"
    assert result in shown
    low, high = expect_interval(round(stored.score, 3), stored.n)
    page = said(leader.get(result))
    assert f"{low:.3f}–{high:.3f}" in page.replace("−", "-").replace(" to ", "–")
    assert "intervals follow from the score and the number of pairs alone" in page
    assert "Expected 95 % interval" in page
    assert ("/tasks/gwsc/board/evaluation/1/" in said(leader.get(HOME))) is (visibility == "board")


def test_what_was_sent_is_downloaded_as_an_attachment(leader):
    answer = leader.get(f"{send(leader)}files/")

    assert answer["Content-Disposition"] == 'attachment; filename="gwsc_evaluation_1.zip"'
    assert answer["X-Content-Type-Options"] == "nosniff"
    with zipfile.ZipFile(io.BytesIO(b"".join(answer.streaming_content))) as archive:
        name, content = result_file(predictions())
        assert archive.read(name) == content


def test_a_note_is_changed_and_escaped(leader):
    page = send(leader)

    assert leader.post(page, {"note": "<script>alert(1)</script>"}).url == page

    assert "<script>alert" not in said(leader.get(page))
    assert "&lt;script&gt;alert" in said(leader.get(f"{HOME}submissions/"))


def test_a_submission_is_withdrawn_and_stays_an_attempt(leader):
    page = send(leader)

    assert "stays used" in said(leader.get(f"{page}withdraw/"))
    assert leader.post(f"{page}withdraw/").url == page

    assert Submission.objects.get().state == SubmissionState.WITHDRAWN
    assert "1 of 9 used" in said(leader.get(SUBMIT))
    assert "Withdraw this submission" not in said(leader.get(page))


def test_a_submission_that_could_not_be_scored_is_not_made_an_attempt(leader):
    page = send(leader)
    Submission.objects.update(state=SubmissionState.FAILED)

    assert "Withdraw this submission" not in said(leader.get(page))
    assert leader.post(f"{page}withdraw/").status_code == 409

    assert Submission.objects.get().state == SubmissionState.FAILED
    assert "0 of 9 used" in said(leader.get(SUBMIT))


def test_the_last_submission_counts_until_the_team_chooses(leader):
    for seed in (1, 2):
        send(leader, seed)
    score_all()
    chosen = {"phase": "evaluation", "subtask": "1", "number": "1"}

    assert "Counts for subtask 1" in said(leader.get(f"{HOME}submissions/evaluation/2/"))
    assert leader.post(f"{HOME}choice/", chosen).url == f"{HOME}choice/"
    assert "Counts for subtask 1" in said(leader.get(f"{HOME}submissions/evaluation/1/"))
    assert "Counts for subtask 1" not in said(leader.get(f"{HOME}submissions/evaluation/2/"))


@pytest.mark.parametrize(
    "wrong", [{"number": "3"}, {"subtask": "2"}, {"phase": "none"}, {"number": "x"}]
)
def test_only_own_submissions_of_the_subtask_are_chosen(leader, wrong):
    send(leader)
    chosen = {"phase": "evaluation", "subtask": "1", "number": "1"}

    assert leader.post(f"{HOME}choice/", chosen | wrong).status_code == 404


def test_after_the_end_nothing_is_chosen(leader, clock):
    for seed in (1, 2):
        send(leader, seed)
    score_all()
    clock.at = END

    chosen = leader.post(f"{HOME}choice/", {"phase": "evaluation", "subtask": "1", "number": "1"})

    assert chosen.status_code == 409
    assert "Submission 2 counts" in said(leader.get(f"{HOME}choice/"))


def test_other_teams_find_nothing(leader, shared_task):
    page = send(leader)
    make_team(shared_task, "Herons")
    other = client_of("herons")
    checked = check(leader, result_file(predictions(4))).url

    for address in (page, f"{page}files/", f"{page}withdraw/", checked):
        assert other.get(address).status_code == 404
        assert other.post(address, {"phase": "evaluation"}).status_code in (404, 405)
    assert "evaluation 1" not in said(other.get(f"{HOME}submissions/"))
    chosen = {"phase": "evaluation", "subtask": "1", "number": "1"}
    assert other.post(f"{HOME}choice/", chosen).status_code == 404
    assert Submission.objects.get().state != SubmissionState.WITHDRAWN


def test_the_gold_is_in_no_answer(leader, shared_task, phase):
    phase.visibility = "board"
    phase.save()
    page = send(leader)
    refused = check(leader, ("x.tsv", b"x"))
    checked = check(leader, result_file(predictions(2))).url
    score_all()
    (part,) = shared_task.parts.all()
    with part.gold.open("rb") as file:
        rows = file.read().decode().splitlines()[1:]
    hidden = [part.gold_sha256, part.gold_sha256[:12], part.gold.name, shared_task.salt, *rows]
    own = ["", "submit/", "submissions/", "choice/", "description/", "members/", "terms/"]
    addresses = [f"{HOME}{one}" for one in own] + [page, f"{page}files/", checked]
    addresses += ["/tasks/", "/tasks/gwsc/", "/tasks/gwsc/kit/evaluation/"]
    answers = [refused] + [
        client.get(address)
        for client in (leader, Client(), client_of("ana"))
        for address in addresses
    ]

    texts = [read_whole(answer) for answer in answers]
    assert len(rows) == 12
    assert [one for text in texts for one in hidden if one in text] == []
    assert any("data/data_sl.tsv" in text for text in texts)  # archives are searched, too


def read_whole(answer):
    """Return the headers and the body of an answer, and the files of archives, as one text."""
    body = b"".join(answer.streaming_content) if answer.streaming else answer.content
    return f"{answer.headers}\n{unpack(body)}"


def unpack(data):
    """Return data as text; of a zip archive the names and texts of its files."""
    if not data.startswith(b"PK"):
        return data.decode(errors="replace")
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return "\n".join(f"{one} {unpack(archive.read(one))}" for one in archive.namelist())


def test_history_asks_as_often_for_one_row_as_for_three(leader):
    counts = []
    for seed in range(3):
        send(leader, seed)
        with CaptureQueriesContext(connection) as asked:
            leader.get(f"{HOME}submissions/")
        counts.append(len(asked))

    assert counts[1] == counts[0] == counts[2]
    assert counts[0] <= 12


def test_history_has_pages(leader, team, phase):
    Submission.objects.bulk_create(
        Submission(
            phase=phase, team=team, number=n, sent_at=START, digest=f"{n:064}", file="x",
            file_sha256="a" * 64, state=SubmissionState.SCORED,
        )
        for n in range(1, 62)
    )  # fmt: skip

    assert "Page 1 of 2" in said(leader.get(f"{HOME}submissions/"))
    assert "evaluation 1<" in said(leader.get(f"{HOME}submissions/?page=2"))
