"""Pages of boards: what they show, to whom, and at what price."""

import csv
import io
import json
import re

import pytest
from django.conf import settings
from django.contrib.auth.models import User

from surveys.sharedtasks.final_results.publishing import retract
from surveys.sharedtasks.models import (
    CountedSubmission,
    FrozenBoard,
    Organiser,
    SharedTask,
    Submission,
    Team,
    TeamKind,
)
from tests.factories.boards import END, NOISE, finish, make_contest, make_published
from tests.factories.clients import client_of

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("clock")]
BOARD = "/tasks/gwsc/board/evaluation/1/"
WAY_BACK = '<body><nav><p><a href="/tasks/gwsc/archive/">Back to the archive</a></p></nav>'


def read(client, address=BOARD, **parameters):
    answer = client.get(address, parameters)
    assert answer.status_code == 200, answer.content.decode()[:300]
    return answer.content.decode()


def names_of(page):
    """Return the names of the rows, in order, and their ranks."""
    rows = re.findall(r"<tr class=\"row.*?</tr>", page, re.DOTALL)
    return [re.sub(r"<[^>]+>", "", re.search(r"<bdi>(.*?)</bdi>", row)[1]) for row in rows]


@pytest.fixture
def live_contest():
    return make_contest({"visibility": "board", "counting": "best"})


def test_a_live_board_ranks_teams_without_tests(client, live_contest):
    page = read(client)

    assert names_of(page)[:4] == ["Otters", "Herons", "Badgers", "Lynxes"]
    assert page.count("3=") == 2
    assert "This board is not final." in page
    assert "begins-group" not in page
    assert names_of(page)[-1] == "Trial"


def test_scores_that_equal_a_baseline_as_shown_are_marked(client, live_contest):
    Team.objects.filter(name="Badgers").update(kind=TeamKind.BASELINE)  # Lynxes sent the same

    page = read(client)

    assert page.count('<span class="ends">= Badgers</span>') == 2
    assert "Lynxes (Finnish, Slovenian): equal to the baseline Badgers as shown." in page


def test_a_board_is_ranked_by_a_language(client, live_contest):
    by_average, by_language = read(client), read(client, by="sl")

    assert {"Stoats", "Hares"} <= set(names_of(by_average)[10:12])
    assert names_of(by_language).index("Stoats") < 8
    assert read(client, by="nothing") == by_average
    assert "The bars show intervals" not in by_average  # an average has none to expect
    assert "The bars show intervals on a scale from" in by_language


def test_a_board_has_a_hundred_rows_a_page(client, live_contest, monkeypatch):
    monkeypatch.setattr("surveys.sharedtasks.web.public.boards.ROWS_A_PAGE", 5)

    first, last = read(client), read(client, page=3)

    assert (len(names_of(first)), len(names_of(last))) == (5, 3)
    assert "Outside the ranking" in last
    assert "Outside the ranking" not in first


def test_a_page_of_a_board_explains_the_zeros_that_it_shows(client, live_contest, monkeypatch):
    counted = CountedSubmission.objects.get(team__name="Badgers", subtask=1)
    counted.scores["fi"] |= {"score": 0.0, "reason": "constant"}
    counted.save()
    monkeypatch.setattr("surveys.sharedtasks.web.public.boards.ROWS_A_PAGE", 5)

    pages = [read(client), read(client, page=2)]

    assert ["Badgers" in names_of(page) for page in pages] == [True, False]
    assert ["A score is 0 if" in page for page in pages] == [True, False]


def test_a_hidden_board_is_not_found(client):
    make_contest()

    assert client.get(BOARD).status_code == 404
    assert client.get(f"{BOARD}board.csv").status_code == 404
    assert client_of("otters").get(BOARD).status_code == 404


def test_organisers_see_a_hidden_board(client):
    shared_task = make_contest()
    user = User.objects.create_user("ana")
    Organiser.objects.create(shared_task=shared_task, user=user)

    assert "Only organisers see this board" in read(client_of("ana"))


def test_organisers_check_final_boards_before_they_are_published(client):
    shared_task = retract(make_published(), "to be checked", END)
    SharedTask.objects.update(retracted_at=None)  # as if they had never been published
    user = User.objects.create_user("ana")
    Organiser.objects.create(shared_task=shared_task, user=user)
    organiser = client_of("ana")
    gold = {part.gold_sha256 for part in shared_task.parts.all()}

    page, content = read(organiser), read(organiser, f"{BOARD}board.json")

    assert "Only organisers see this final board" in page
    assert "begins-group" in page
    assert "/archive/" not in page
    assert json.loads(content)["is_rounded"]
    assert not any(digest in page + content for digest in gold)
    for other in (client, client_of("otters")):
        assert other.get(BOARD).status_code == 404


def test_boards_are_not_checked_with_scores_that_were_replaced():
    shared_task = retract(make_published(), "to be checked", END)
    user = User.objects.create_user("ana")
    Organiser.objects.create(shared_task=shared_task, user=user)
    shared_task.scorings.update(state="replaced")

    assert "Only organisers see this board" in read(client_of("ana"))


def test_teams_see_which_row_is_theirs(live_contest):
    page = read(client_of("newts"))

    assert page.count("Your team") == 1
    assert re.search(r'class="[^"]*own\s*".*?Newts.*?Your team', page, re.DOTALL)


@pytest.mark.parametrize("address", [
    "/tasks/gwsc/board/evaluation/3/", "/tasks/gwsc/board/nothing/1/", "/tasks/no/board/a/1/",
    f"{BOARD}board.exe",
])  # fmt: skip
def test_what_is_no_board_is_not_found(client, live_contest, address):
    assert client.get(address).status_code == 404


def test_a_final_board_has_groups_references_and_reasons(client):
    shared_task = make_published()
    undescribed = shared_task.teams.get(name="Voles")

    page = read(client)

    assert "begins-group" in page
    assert {"distance", "form", "score ceiling", "a second crowd"} <= set(names_of(page))
    assert names_of(page)[-2:] == ["Trial", undescribed.code]
    assert "incomplete description" in page
    assert "24 pairs are few" in page
    assert FrozenBoard.objects.get(subtask=1).sha256 in page
    assert "Holm’s correction" in page


def test_the_files_of_a_final_board_equal_its_page(client):
    make_published()

    page = read(client)
    table = list(csv.reader(io.StringIO(read(client, f"{BOARD}board.csv"))))
    frozen = FrozenBoard.objects.get(subtask=1)

    assert [row[0] for row in table[1:]] == [name.replace("&amp;", "&") for name in names_of(page)]
    assert read(client, f"{BOARD}board.json") == frozen.body
    assert "Otters" in read(client, f"{BOARD}board.tex")
    whole = read(client, f"{BOARD}board.html")
    assert whole == client.get("/tasks/gwsc/archive/evaluation-1/board.html").text.replace(
        WAY_BACK, "<body>"
    )
    code = Submission.objects.get(team__name="Otters").code
    assert f'href="{settings.SITE_URL}/tasks/gwsc/results/{code}/"' in whole
    assert "<svg" in whole
    shown = {f"{float(row[6]):.3f}" for row in table[1:] if row[6]}
    assert all(score in page.replace("−", "-") for score in shown)


def test_files_of_a_live_board_have_three_decimals_and_no_correlations(client, live_contest):
    content = json.loads(read(client, "/tasks/gwsc/board/evaluation/2/board.json"))

    cells = [cell for row in content["rows"] for cell in row["parts"].values()]
    assert content["is_rounded"]
    assert content["rules"]["gold_sha256"] == {}
    assert all(cell["score"] == round(cell["score"], 3) for cell in cells)
    assert {cell["pearson"] for cell in cells} == {None}


def test_boards_make_as_many_queries_for_many_teams(
    live_contest, client, django_assert_max_num_queries
):
    clients = [client, client_of("otters")]
    for one in clients:
        with django_assert_max_num_queries(10):
            read(one)
    CountedSubmission.objects.exclude(team__name="Otters").delete()
    for one in clients:
        with django_assert_max_num_queries(10):
            read(one)


def test_final_boards_make_few_queries(client, django_assert_max_num_queries):
    make_published()
    for one in (client, client_of("otters")):
        with django_assert_max_num_queries(10):
            read(one)


def test_a_team_that_withdraws_later_is_marked(client):
    shared_task = make_published()
    shared_task.teams.filter(name="Newts").update(state="withdrawn")

    assert read(client).count("Withdrawn later") == 1
    assert "Newts" in names_of(read(client))


@pytest.mark.usefixtures("boards_without_figures")
def test_codes_stand_for_names_until_publishing(client):
    shared_task = make_contest({"visibility": "board"}, names="codes")
    addresses = [BOARD, *(f"{BOARD}board.{ending}" for ending in ("csv", "json", "tex", "html"))]

    texts = [read(client, address) for address in addresses]

    for text in texts:
        assert not any(name.split()[0] in text for name in NOISE)
        assert "-bert" not in text
        assert shared_task.teams.get(name="Otters").code in text
    finish(shared_task)
    assert "Otters" in read(client)
