"""Pages of results: as visible as their phases, and for ever."""

from datetime import timedelta

import pytest
from django.contrib.auth.models import User

from surveys.models.sharedtasks import Organiser, SharedTask, Submission, SubtaskScore
from surveys.sharedtasks.scoring.waiting import score_waiting
from surveys.sharedtasks.submissions import withdraw_submission
from tests.factories.boards import NOISE, finish, make_contest
from tests.factories.sharedtasks import START, result_file, send
from tests.surveys.web.sharedtasks.conftest import sign_in

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("clock")]


def address_of(name):
    return f"/tasks/gwsc/results/{Submission.objects.get(team__name=name).code}/"


def read(client, name="Otters"):
    answer = client.get(address_of(name))
    assert answer.status_code == 200
    return answer.content.decode()


def test_the_result_of_a_hidden_phase_is_not_found(client):
    make_contest()

    for one in (client, sign_in("otters"), sign_in("herons")):
        assert one.get(address_of("Otters")).status_code == 404


def test_a_team_sees_its_own_result_where_scores_are_its_own(client):
    make_contest({"visibility": "own"})

    assert "0.995" in read(sign_in("otters"))
    for one in (client, sign_in("herons")):
        assert one.get(address_of("Otters")).status_code == 404


def test_figures_of_hidden_gold_have_three_decimals_and_no_correlations(client):
    make_contest({"visibility": "board"})

    page = read(client)

    scores = SubtaskScore.objects.filter(submission__team__name="Otters")
    assert not any(repr(one.score)[:7] in page for one in scores)
    assert "Pearson" not in page
    assert "Gold of" not in page


def test_a_published_result_has_everything(client):
    shared_task = finish(make_contest())

    page = read(client)

    wanted = (
        "Rank range", "Pearson P", "otters-bert", "We, the Otters, average <em>layers</em>.",
        "https://example.org/Otters", "@misc{gwsc-", "author = {{Otters}}",
        shared_task.parts.get(language="sl").gold_sha256,
        Submission.objects.get(team__name="Otters").contents[0]["sha256"],
    )  # fmt: skip
    assert [one for one in wanted if one not in page] == []


def test_a_published_result_outside_the_ranking_says_why(client):
    finish(make_contest())

    page = read(client, "Voles")

    assert "Outside the ranking: no description" in page
    assert "The system" not in page


def test_a_result_that_does_not_count_is_of_its_team_alone(client):
    shared_task = make_contest({"counting": "chosen"})
    other = Submission.objects.get(team__name="Herons")
    shared_task.phases.get().counted_submissions.filter(submission=other).delete()
    finish(shared_task)

    assert client.get(address_of("Otters")).status_code == 200
    assert client.get(address_of("Herons")).status_code == 404
    assert sign_in("otters").get(address_of("Herons")).status_code == 404
    assert "0.980" in read(sign_in("herons"), "Herons")


def test_a_result_stays_at_its_address_when_a_later_one_counts(client):
    """Where everybody sees all scores, unless it is withdrawn."""
    make_contest({"visibility": "board", "closes_at": None})
    first = Submission.objects.get(team__name="Otters")
    send(first.team, first.phase, [result_file(range(60)), result_file(range(60), subtask=2)])
    score_waiting()
    address = f"/tasks/gwsc/results/{first.code}/"

    page = client.get(address).content.decode()

    assert "0.995" in page
    assert "Rank" not in page
    withdraw_submission(first)
    assert client.get(address).status_code == 404


def test_before_a_phase_begins_only_organisers_see_what_they_sent(client, clock):
    shared_task = make_contest({"visibility": "board"})
    Organiser.objects.create(shared_task=shared_task, user=User.objects.create_user("ana"))
    clock.at = START - timedelta(seconds=1)
    addresses = [
        address_of("Trial"), "/tasks/gwsc/board/evaluation/1/",
        "/tasks/gwsc/board/evaluation/1/board.json",
    ]  # fmt: skip

    for one, status in ((client, 404), (sign_in("otters"), 404), (sign_in("ana"), 200)):
        assert [one.get(address).status_code for address in addresses] == [status] * 3


def test_codes_stand_for_names_on_results(client):
    shared_task = make_contest({"visibility": "board"}, names="codes")

    page = read(client)

    assert not any(name.split()[0] in page for name in NOISE)
    assert "-bert" not in page
    assert "example.org/Otters" not in page
    assert shared_task.teams.get(name="Otters").code in page


def test_a_team_that_hides_its_name_has_no_links(client):
    shared_task = make_contest({"visibility": "board"})
    shared_task.teams.filter(name="Otters").update(hides_name=True)

    page = read(client)

    assert "otters-bert" in page
    assert "https://example.org/Otters" not in page


def test_results_vanish_when_they_are_taken_back(client):
    finish(make_contest())
    SharedTask.objects.update(state="finalised")

    assert client.get(address_of("Otters")).status_code == 404


def test_no_result_is_found_at_another_task_or_code(client):
    make_contest({"visibility": "board"})
    code = Submission.objects.get(team__name="Otters").code

    assert client.get(f"/tasks/other/results/{code}/").status_code == 404
    assert client.get("/tasks/gwsc/results/abcdefghij/").status_code == 404
