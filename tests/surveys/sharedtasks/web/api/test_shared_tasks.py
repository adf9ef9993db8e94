"""Shared tasks and boards in the API: what their pages show, to the same readers."""

from types import SimpleNamespace

import pytest
from django.contrib.auth.models import User
from django.test import Client

from surveys.access.api_tokens import make_token
from surveys.models import ApiToken
from surveys.sharedtasks.models import Organiser, SharedTask
from surveys.web.api.urls import VIEWS
from tests.factories.boards import finish, make_contest
from tests.factories.programs import Program, errors_of
from tests.factories.sharedtasks import START, make_part, make_phase, make_shared_task, make_team

pytestmark = pytest.mark.django_db
BOARD = "shared-tasks/gwsc/boards/evaluation/1/"
PAGE = "/tasks/gwsc/board/evaluation/1/board.json"
ADDRESSES = [
    one.replace("<slug:task>", "gwsc").replace("<slug:phase>", "evaluation").replace(
        "<int:subtask>", str(subtask)
    ).replace("<int:number>", "1")
    for one in VIEWS
    if one.startswith("shared-tasks/")
    for subtask in (1, 2)
]  # fmt: skip


@pytest.fixture(autouse=True)
def stopped_requests(monkeypatch):
    """The time of requests is START."""
    monkeypatch.setattr("surveys.web.timing.timezone", SimpleNamespace(now=lambda: START))


def asking(name: str = "eva", *scopes: str) -> Program:
    """Return the program of an account, which is made if there is none."""
    user, _ = User.objects.get_or_create(username=name)
    n_tokens = user.api_tokens.count()
    _, key = make_token(user, f"program {n_tokens}", scopes or ["sharedtasks:read"])
    return Program(key)


def organise(shared_task: SharedTask, name: str = "ana") -> None:
    Organiser.objects.create(shared_task=shared_task, user=User.objects.create_user(name))


def list_readers():
    """Return programs of a researcher without a role, and of members of two teams."""
    return {name: asking(name) for name in ("eva", "otters", "herons")}


def test_shared_tasks_are_listed_without_drafts():
    make_part(make_shared_task(), "sl")
    make_shared_task(slug="draft", state="draft", opened_at=None)

    assert asking().get("shared-tasks/").json() == {
        "next": None,
        "results": [
            {
                "slug": "gwsc",
                "title": "Graded similarity",
                "state": "open",
                "languages": ["sl"],
                "published_at": None,
            }
        ],
    }


def test_the_list_makes_as_many_queries_for_three_as_for_one(django_assert_num_queries):
    program = asking()
    for number in range(3):
        make_part(make_shared_task(slug=f"task-{number}"), "sl")
    program.get("shared-tasks/")

    with django_assert_num_queries(3):  # the token, shared tasks, their parts
        assert len(program.get("shared-tasks/").json()["results"]) == 3
    SharedTask.objects.exclude(slug="task-1").update(state="draft")
    with django_assert_num_queries(3):
        assert len(program.get("shared-tasks/").json()["results"]) == 1


def test_a_shared_task_is_shown_with_its_phases():
    shared_task = make_shared_task(text="*Predict.*", required_languages=["sl"])
    make_part(shared_task, "sl")
    make_phase(shared_task, attempts_a_day=2)

    assert asking().get("shared-tasks/gwsc/").json() == {
        "slug": "gwsc",
        "title": "Graded similarity",
        "state": "open",
        "contact": "organisers@example.org",
        "zone": "Etc/GMT+12",
        "text": "*Predict.*",
        "terms": "",
        "required_languages": ["sl"],
        "best_of": None,
        "places": "competition",
        "names": "shown",
        "commitment": "",
        "published_at": None,
        "retracted_at": None,
        "parts": [{"language": "sl", "n_pairs": 12, "n_practice": 0}],
        "tracks": [
            {
                "number": 1,
                "title": "change",
                "metric": "change",
                "column": "change",
                "column2": "",
                "is_percent": False,
            },
            {
                "number": 2,
                "title": "similarity",
                "metric": "harmonic",
                "column": "sim_context1",
                "column2": "sim_context2",
                "is_percent": False,
            },
        ],
        "phases": [
            {
                "name": "evaluation",
                "data": "test",
                "subtasks": [1, 2],
                "opens_at": "2027-01-01T12:00:00Z",
                "closes_at": "2027-01-08T12:00:00Z",
                "attempts_total": 9,
                "attempts_a_day": 2,
                "visibility": "hidden",
                "counting": "chosen",
                "is_running": True,
                "has_boards": False,
            }
        ],
    }


def test_visible_boards_are_listed():
    shared_task = make_shared_task()
    make_phase(shared_task)
    make_phase(shared_task, "practice", visibility="board", subtasks=[1])
    organise(shared_task)

    found = asking().get("shared-tasks/gwsc/boards/").json()["results"]
    of_organiser = asking("ana").get("shared-tasks/gwsc/boards/").json()["results"]

    assert found == [{"phase": "practice", "subtask": 1, "is_final": False}]
    assert [(one["phase"], one["subtask"]) for one in of_organiser] == [
        ("evaluation", 1), ("evaluation", 2), ("practice", 1),
    ]  # fmt: skip


@pytest.mark.usefixtures("boards_without_figures")
@pytest.mark.parametrize("is_final", [False, True])
def test_a_board_is_that_of_the_page(client, is_final):
    shared_task = make_contest({"visibility": "board"})
    if is_final:
        finish(shared_task)

    answer = asking().get(BOARD)

    assert (answer.status_code, answer["Content-Type"]) == (200, "application/json")
    assert answer.content == client.get(PAGE).content
    assert len(answer.json()["rows"]) > 10


def test_a_hidden_board_is_for_organisers_alone():
    organise(make_contest())

    answers = {name: program.get(BOARD) for name, program in list_readers().items()}

    assert {name: answer.status_code for name, answer in answers.items()} == {
        "eva": 404, "otters": 404, "herons": 404,
    }  # fmt: skip
    assert asking("ana").get(BOARD).status_code == 200


@pytest.mark.parametrize("address", [
    "no/boards/evaluation/1/", "gwsc/boards/nothing/1/", "gwsc/boards/evaluation/3/", "no/",
    "no/boards/",
])  # fmt: skip
def test_what_does_not_exist_is_not_found(address):
    make_phase(make_shared_task(), visibility="board")

    answer = asking().get(f"shared-tasks/{address}")

    assert (answer.status_code, errors_of(answer)[0][0]) == (404, "not_found")


def test_a_draft_is_at_no_address():
    make_phase(make_shared_task(state="draft", opened_at=None), visibility="board")
    make_team(SharedTask.objects.get())
    organise(SharedTask.objects.get())

    for name in ("eva", "otters", "ana"):
        program = asking(name)
        assert {program.get(one).status_code for one in ADDRESSES if "gwsc" in one} == {404}
        assert program.get("shared-tasks/").json()["results"] == []


def test_tokens_without_the_scope_are_refused():
    make_contest({"visibility": "board"})
    programs = [asking("eva", "studies:write"), asking("otters")]
    ApiToken.objects.filter(user__username="otters").update(scopes=["studies:write"])

    for program in programs:
        assert {program.get(address).status_code for address in ADDRESSES} == {403}
    assert {Client().get(f"/api/v1/{address}").status_code for address in ADDRESSES} == {401}


def test_boards_count_as_exports(settings):
    make_phase(make_shared_task(), visibility="board")
    settings.API_RATES = {**settings.API_RATES, "exporting": "1/day"}
    program = asking()

    assert [program.get(BOARD).status_code for _ in range(2)] == [200, 429]
    assert program.get("shared-tasks/gwsc/").status_code == 200
