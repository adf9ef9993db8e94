"""Pages of results: as visible as their phases, and for ever."""

import pytest

from surveys.models.sharedtasks import SharedTask, Submission, SubtaskScore
from tests.factories.boards import NOISE, finish, make_contest
from tests.surveys.web.sharedtasks.conftest import sign_in

pytestmark = pytest.mark.django_db


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
    shared_task = make_contest({"visibility": "board", "counting": "best"})
    counted = Submission.objects.get(team__name="Otters")
    other = Submission.objects.get(team__name="Herons")
    shared_task.phases.get().counted_submissions.filter(submission=other).delete()

    assert client.get(address_of("Herons")).status_code == 404
    assert sign_in("otters").get(address_of("Herons")).status_code == 404
    assert "0.980" in read(sign_in("herons"), "Herons")
    assert client.get(f"/tasks/gwsc/results/{counted.code}/").status_code == 200


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
