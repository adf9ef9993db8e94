"""A team that withdraws after boards are final: its row stays, without its name if it wants."""

import hashlib

import pytest
from django.test import Client

from postprocess.boards.exports.freezing import read_board
from surveys.models import AuditEntry, Job
from surveys.sharedtasks.boards.files import FORMATS
from surveys.sharedtasks.errors import SharedTaskRefused
from surveys.sharedtasks.final_results.archive import list_archive, read_archived
from surveys.sharedtasks.final_results.publishing import publish, retract
from surveys.sharedtasks.final_results.renaming import request_archive
from surveys.sharedtasks.models import FrozenBoard, SharedTask
from surveys.sharedtasks.tasks import ARCHIVE, find_jobs
from surveys.sharedtasks.teams.registration import withdraw_team
from tests.factories.boards import END, make_contest, make_published
from tests.factories.jobs import perform_all

pytestmark = [pytest.mark.django_db, pytest.mark.shared_task(of="published_contest")]
NAME = "Herons"
BOARD = "/tasks/gwsc/board/evaluation/1/"


@pytest.fixture
def published_contest():
    return make_published()


@pytest.fixture
def renamed(shared_task):
    return shared_task.teams.get(name=NAME)


@pytest.fixture
def new_archives_without_figures(shared_task, boards_without_figures):
    """Let archives have no figures that are made after the published one."""


def read_pages(team):
    """Return what every address that had the name answers."""
    result = team.submissions.get().code
    addresses = [
        "/tasks/gwsc/", BOARD, *(f"{BOARD}board.{ending}" for ending in FORMATS),
        f"/tasks/gwsc/results/{result}/", "/tasks/gwsc/archive/", "/tasks/gwsc/archive.zip",
    ]  # fmt: skip
    answers = [Client().get(address) for address in addresses]
    return [b"".join(answer) for answer in answers]


def test_the_name_leaves_boards_files_and_pages_at_once(renamed):
    assert sum(NAME.encode() in page for page in read_pages(renamed)) >= 7

    withdraw_team(renamed, hides_name=True, now=END)

    assert [page for page in read_pages(renamed) if NAME.encode() in page] == []
    board = Client().get(BOARD).content.decode()
    assert renamed.code in board
    assert "Withdrawn later" in board
    entry = AuditEntry.objects.get(action="team.name_hidden")
    assert (entry.subject, entry.details) == (NAME, {"n_boards": 2})


def test_the_archive_is_made_again_without_name_and_files(shared_task, renamed):
    before = list_archive(shared_task)
    withdraw_team(renamed, hides_name=True, now=END)
    assert "is being made again" in Client().get("/tasks/gwsc/archive/").content.decode()
    assert Client().get("/tasks/gwsc/archive.zip").status_code == 404

    perform_all()

    shared_task = SharedTask.objects.get()
    after = list_archive(shared_task)
    own = {path for path in before if renamed.code in path}
    assert own
    assert set(after) == set(before) - own
    assert not [path for path in after if NAME.encode() in read_archived(shared_task, path)]
    with shared_task.archive.open("rb") as file:
        assert hashlib.sha256(file.read()).hexdigest() == shared_task.archive_sha256
    job = find_jobs(shared_task).first()
    assert (job.kind, job.state) == (ARCHIVE, "done")


@pytest.mark.every_database  # the body of a board, and what is locked
def test_only_the_name_of_the_row_changes(renamed):
    before = {one.pk: read_board(one.body.encode()) for one in FrozenBoard.objects.all()}

    withdraw_team(renamed, hides_name=True, now=END)

    for frozen in FrozenBoard.objects.all():
        assert frozen.sha256 == hashlib.sha256(frozen.body.encode()).hexdigest()
        old, new = before[frozen.pk], read_board(frozen.body.encode())
        known = {NAME: renamed.code}
        assert [row.name for row in new.rows] == [known.get(row.name, row.name) for row in old.rows]
        assert [row.cells for row in new.rows] == [row.cells for row in old.rows]
        assert [row.places for row in new.rows] == [row.places for row in old.rows]
        assert {name: one.holm for name, one in new.differences.items()} == {
            name: one.holm for name, one in old.differences.items()
        }
        assert renamed.code in new.differences["sl"].names


def test_a_team_that_keeps_its_name_stays_on_the_boards(renamed):
    before = list(FrozenBoard.objects.values_list("sha256"))

    withdraw_team(renamed, hides_name=False, now=END)

    assert list(FrozenBoard.objects.values_list("sha256")) == before
    assert NAME in Client().get(BOARD).content.decode()
    assert not Job.objects.filter(kind=ARCHIVE).exists()


@pytest.mark.usefixtures("new_archives_without_figures")
def test_a_name_may_be_hidden_after_the_withdrawal_and_by_several_teams(shared_task, renamed):
    withdraw_team(renamed, hides_name=False, now=END)

    withdraw_team(renamed, hides_name=True, now=END)
    withdraw_team(shared_task.teams.get(name="Newts"), hides_name=True, now=END)
    perform_all()

    shared_task = SharedTask.objects.get()
    text = "".join(
        read_archived(shared_task, path).decode(errors="replace")
        for path in list_archive(shared_task)
    )
    assert NAME not in text
    assert "Newts" not in text


@pytest.mark.usefixtures("new_archives_without_figures")
def test_results_are_not_published_without_their_archive(shared_task, renamed):
    retract(shared_task, "a name", END)
    withdraw_team(renamed, hides_name=True, now=END)
    Job.objects.filter(kind=ARCHIVE).update(state="failed")
    with pytest.raises(SharedTaskRefused, match="archive is missing"):
        publish(shared_task, END)

    request_archive(shared_task, None)
    perform_all()

    assert publish(shared_task, END).is_published
    request_archive(shared_task, None)
    assert not find_jobs(shared_task).under_way().exists()


def test_an_archive_needs_final_boards():
    shared_task = make_contest()

    with pytest.raises(SharedTaskRefused, match="not final"):
        request_archive(shared_task, None)
