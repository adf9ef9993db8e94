"""The list of shared tasks, their overviews, kits, and published archives."""

import hashlib
import io
import zipfile
from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.utils.html import strip_tags

from surveys.sharedtasks.final_results.publishing import retract
from surveys.sharedtasks.models import Scoring, SharedTask, Submission
from tests.factories.boards import END, make_contest, make_published
from tests.factories.sharedtasks import START, make_phase, make_shared_task

pytestmark = pytest.mark.django_db


def read(client, address="/tasks/gwsc/", status=200):
    answer = client.get(address)
    assert answer.status_code == status
    return answer.content.decode()


def test_the_list_has_open_and_published_tasks_and_no_drafts(client, clock):
    make_phase(make_shared_task(slug="now", title="Running"))
    make_shared_task(slug="draft", title="Secret", state="draft", opened_at=None)

    page = read(client, "/tasks/")

    assert "Running" in page
    assert "until" in page
    assert "Secret" not in page
    assert client.get("/tasks/draft/").status_code == 404


def test_the_list_makes_the_same_number_of_queries(client, django_assert_num_queries):
    for number in range(3):
        make_phase(make_shared_task(slug=f"task-{number}"))
        with django_assert_num_queries(3):
            read(client, "/tasks/")


def test_the_overview_has_dates_in_two_zones_limits_and_the_commitment(client, clock):
    make_contest(commitment="c" * 64)

    page = read(client)

    wanted = (
        "anywhere on earth", "UTC", "9 a team", "hidden until the results are published",
        "c" * 64, "24 pairs", "Be <em>fair</em>.", "organisers@example.org", "/kit/evaluation/",
    )  # fmt: skip
    assert [one for one in wanted if one not in page] == []
    assert "/board/" not in page


def test_the_overview_links_the_boards_that_everybody_may_see(client, clock):
    make_contest({"visibility": "board"})

    page = read(client)

    assert "/tasks/gwsc/board/evaluation/1/" in page
    assert "/tasks/gwsc/board/evaluation/2/" in page


def test_a_corrected_gold_breaks_the_commitment_and_names_who_corrected_it(client):
    shared_task = make_published()
    SharedTask.objects.update(commitment="c" * 64)
    first = Scoring.objects.get()
    first.state = "replaced"
    first.save()
    Scoring.objects.create(
        shared_task=shared_task, number=2, state="current", scorer="1.0", current_since=START,
        reason="pair 1 was <wrong>", created_by=User.objects.create_user("ana"),
        gold_sha256=first.gold_sha256 | {"sl": "f" * 64}, gold_files={"sl": "a"},
    )  # fmt: skip

    for address in ("/tasks/gwsc/", "/tasks/gwsc/archive/"):
        page = read(client, address)
        assert "it no longer matches the commitment" in page
        assert "with corrected gold (sl): pair 1 was &lt;wrong&gt; (by ana)" in page


PHASES = {  # the times of phases, in days from START
    "practice": (0, 3), "evaluation": (5, 7), "post-evaluation": (7, None),
}  # fmt: skip
STATES = [  # days from START, phases that the task has, its fields, what its overview says, badge
    (-1, 3, {}, ["practice opens on", "evaluation opens on", "Teams join"], "Opens later"),
    (1, 3, {}, ["practice is open until", "evaluation opens on", "Teams join"], "Open"),
    (4, 3, {}, ["evaluation opens on", "Teams join"], "Between phases"),
    (8, 3, {}, ["post-evaluation is open, without an end.", "Teams join"], "Open"),
    (8, 2, {}, ["All phases are over; the results are not published yet."],
     "Results not published"),
    (8, 3, {"state": "finalised"}, ["The boards are final, but not published yet.",
     "post-evaluation is open, without an end.", "Teams join"], "Open"),
    (8, 2, {"state": "finalised"}, ["The boards are final, but not published yet.",
     "All phases are over."], "Results not published"),
    (8, 3, {"state": "published"}, ["The final results are published.",
     "post-evaluation is open, without an end.", "Teams join"], "Results published"),
    (8, 2, {"state": "published"}, ["The final results are published.", "All phases are over."],
     "Results published"),
    (8, 2, {"state": "finalised", "retracted_at": END}, ["The results were taken back",
     "All phases are over."], "Results taken back"),
    (0, 0, {}, ["Teams join", "The dates are not announced yet."], "Announced"),
]  # fmt: skip
SAID = (
    "opens on", "is open", "Teams join", "All phases are over", "not published yet",
    "The final results are published.", "were taken back",
)  # fmt: skip


@pytest.mark.parametrize(("day", "n_phases", "fields", "sentences", "badge"), STATES)
def test_the_overview_says_what_is_published_and_what_is_left(
    client, clock, day, n_phases, fields, sentences, badge
):
    published = {"published_at": END} if fields.get("state") == "published" else {}
    shared_task = make_shared_task(**fields, **published)
    for name, (opens, closes) in list(PHASES.items())[:n_phases]:
        end = None if closes is None else START + timedelta(days=closes)
        make_phase(shared_task, name, opens_at=START + timedelta(days=opens), closes_at=end)
    clock.at = START + timedelta(days=day)

    page = " ".join(strip_tags(read(client)).split())

    assert [one for one in sentences if one not in page] == []
    assert [one for one in SAID if one in page and one not in " ".join(sentences)] == []
    assert badge in strip_tags(read(client, "/tasks/"))


def test_languages_are_named_on_public_pages(client, clock):
    make_contest({"visibility": "board"}, required_languages=["sl"])
    pages = {
        address: " ".join(strip_tags(read(client, address)).split())
        for address in ("/tasks/", "/tasks/gwsc/", "/tasks/gwsc/board/evaluation/1/?by=sl")
    }

    assert "Finnish, Slovenian" in pages["/tasks/"]
    assert "Finnish fi 24 pairs" in pages["/tasks/gwsc/"]
    assert "RequiredSlovenian" in pages["/tasks/gwsc/"]  # a term and its text
    board = pages["/tasks/gwsc/board/evaluation/1/?by=sl"]
    assert "24 pairs of Finnish and 60 pairs of Slovenian" in board
    assert "Ranked by average Finnish Slovenian" in board
    assert "Finnish: 24 pairs are few" in board


def test_the_overview_tells_of_a_moved_end(client, clock):
    make_contest({"moved_at": START, "moved_from": END})

    assert "Moved on 1 January 2027, from" in read(client).replace("\xa0", " ").replace(
        "\n          ", " "
    )


def test_the_kit_is_out_when_its_phase_begins(client, clock):
    make_contest()
    clock.at = START - timedelta(seconds=1)
    assert client.get("/tasks/gwsc/kit/evaluation/").status_code == 404
    assert "/kit/" not in read(client)

    clock.at = START
    answer = client.get("/tasks/gwsc/kit/evaluation/")

    names = zipfile.ZipFile(io.BytesIO(answer.content)).namelist()
    assert "attachment" in answer["Content-Disposition"]
    assert any(name.endswith("data/data_sl.tsv") for name in names)
    assert not any("gold" in name for name in names)
    assert client.get("/tasks/gwsc/kit/nothing/").status_code == 404


def test_the_archive_is_a_folder_and_a_zip(client):
    shared_task = make_published()

    page = read(client, "/tasks/gwsc/archive/")
    packed = b"".join(client.get("/tasks/gwsc/archive.zip").streaming_content)

    assert hashlib.sha256(packed).hexdigest() == shared_task.archive_sha256
    assert shared_task.archive_sha256 in page
    for name in zipfile.ZipFile(io.BytesIO(packed)).namelist():
        path = name.partition("/")[2]
        assert f"/tasks/gwsc/archive/{path}" in page
        assert client.get(f"/tasks/gwsc/archive/{path}").status_code == 200


def test_files_of_the_archive_reach_nothing_of_the_site(client):
    make_published()

    board = client.get("/tasks/gwsc/archive/evaluation-1/board.html")
    gold = client.get("/tasks/gwsc/archive/gold/gold_sl.tsv")
    plot = client.get("/tasks/gwsc/archive/evaluation-1/figures/scores-average.svg")

    assert "sandbox" in board["Content-Security-Policy"]
    assert gold["Content-Disposition"] == 'attachment; filename="gold_sl.tsv"'
    assert {one["X-Content-Type-Options"] for one in (board, gold, plot)} == {"nosniff"}
    assert plot["Content-Type"] == "image/svg+xml"
    assert client.get("/tasks/gwsc/archive/../../x").status_code == 404
    assert client.get("/tasks/gwsc/archive/gold/nothing.tsv").status_code == 404


def test_an_archive_that_is_not_published_is_not_found(client):
    shared_task = make_published()
    SharedTask.objects.filter(pk=shared_task.pk).update(state="finalised")

    for path in ("", "README.md", "gold/gold_sl.tsv"):
        assert client.get(f"/tasks/gwsc/archive/{path}").status_code == 404
    assert client.get("/tasks/gwsc/archive.zip").status_code == 404


def test_an_archive_that_was_taken_back_says_so(client):
    shared_task = make_published()
    retract(shared_task, "The gold was wrong.", END)

    assert "taken back" in read(client, "/tasks/gwsc/archive/", status=410)
    assert "taken back" in read(client)
    for path in ("archive.zip", "archive/gold/gold_sl.tsv", "board/evaluation/1/board.csv"):
        assert client.get(f"/tasks/gwsc/{path}").status_code == 404


def test_boards_and_results_that_were_taken_back_say_so(client):
    shared_task = make_published()
    retract(shared_task, "The gold was wrong.", END)
    code = Submission.objects.get(team__name="Otters").code

    for path in ("board/evaluation/1/", f"results/{code}/"):
        page = read(client, f"/tasks/gwsc/{path}", status=410)
        assert "taken back" in page
        assert "Otters" not in page
    for path in ("board/evaluation/3/", "board/nothing/1/", "results/abcdefghij/"):
        assert client.get(f"/tasks/gwsc/{path}").status_code == 404
