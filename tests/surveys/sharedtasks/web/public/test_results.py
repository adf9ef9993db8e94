"""Pages of results: as visible as their phases, and for ever."""

import hashlib
import json
from datetime import timedelta

import pytest
import yaml
from django.conf import settings
from django.contrib.auth.models import User
from django.core.cache import cache

from surveys.sharedtasks.models import Organiser, SharedTask, Submission, SubtaskScore
from surveys.sharedtasks.submissions import withdraw_submission
from tests.factories.boards import NOISE, finish, make_contest, make_published
from tests.factories.clients import client_of
from tests.factories.sharedtasks import START, result_file, score_all, send

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("clock")]


def address_of(name):
    return f"/tasks/gwsc/results/{Submission.objects.get(team__name=name).code}/"


def read(client, name="Otters"):
    answer = client.get(address_of(name))
    assert answer.status_code == 200
    return answer.content.decode()


def test_the_result_of_a_hidden_phase_is_not_found(client):
    make_contest()

    for one in (client, client_of("otters"), client_of("herons")):
        assert one.get(address_of("Otters")).status_code == 404


def test_a_team_sees_its_own_result_where_scores_are_its_own(client):
    make_contest({"visibility": "own"})

    assert "0.995" in read(client_of("otters"))
    for one in (client, client_of("herons")):
        assert one.get(address_of("Otters")).status_code == 404


def test_figures_of_hidden_gold_have_three_decimals_and_no_correlations(client):
    make_contest({"visibility": "board"})

    page = read(client)

    scores = SubtaskScore.objects.filter(submission__team__name="Otters")
    assert not any(repr(one.score)[:7] in page for one in scores)
    assert "Pearson" not in page
    assert "Gold of" not in page


def test_a_published_result_has_everything(client):
    shared_task = make_published()

    page = read(client)

    wanted = (
        "Rank range", "Pearson P", "Finnish: 24 pairs are few", "otters-bert",
        "We, the Otters, average <em>layers</em>.",
        "https://example.org/Otters", "@misc{gwsc-", "author = {{Otters}}",
        shared_task.parts.get(language="sl").gold_sha256,
        Submission.objects.get(team__name="Otters").contents[0]["sha256"],
    )  # fmt: skip
    assert [one for one in wanted if one not in page] == []


def test_a_published_result_outside_the_ranking_says_why(client):
    make_published()

    page = read(client, "Voles")

    assert "Outside the ranking: incomplete description" in page
    assert "The system" not in page
    assert "Voles" not in page


@pytest.mark.usefixtures("boards_without_figures")
def test_a_result_that_does_not_count_is_of_its_team_alone(client):
    shared_task = make_contest({"counting": "chosen"})
    other = Submission.objects.get(team__name="Herons")
    shared_task.phases.get().counted_submissions.filter(submission=other).delete()
    finish(shared_task)

    assert client.get(address_of("Otters")).status_code == 200
    assert client.get(address_of("Herons")).status_code == 404
    assert client_of("otters").get(address_of("Herons")).status_code == 404
    assert "0.980" in read(client_of("herons"), "Herons")


def test_a_result_stays_at_its_address_when_a_later_one_counts(client):
    """Where everybody sees all scores, unless it is withdrawn."""
    make_contest({"visibility": "board", "closes_at": None})
    first = Submission.objects.get(team__name="Otters")
    send(first.team, first.phase, [result_file(range(60)), result_file(range(60), subtask=2)])
    score_all()
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

    for one, status in ((client, 404), (client_of("otters"), 404), (client_of("ana"), 200)):
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


def draw(client, name="Otters", place="1_sl", ending="svg"):
    return client.get(f"{address_of(name)}predictions_{place}.{ending}")


@pytest.mark.usefixtures("boards_without_figures")
def test_predictions_are_drawn_against_the_gold_once_it_is_public(client):
    make_contest({"visibility": "board"})
    assert draw(client).status_code == 404
    assert draw(client_of("otters")).status_code == 404
    assert "predictions_" not in read(client)

    finish(SharedTask.objects.get())
    page = read(client)

    for place in ("1_fi", "1_sl", "2_fi", "2_sl"):
        assert f"{address_of('Otters')}predictions_{place}.svg" in page
        assert draw(client, place=place).status_code == 200
    assert "60 pairs (Slovenian) against the gold" in page
    drawn, png = draw(client), draw(client, ending="png")
    assert (drawn["Content-Type"], png["Content-Type"]) == ("image/svg+xml", "image/png")
    assert "Predictions of Otters, sl, subtask 1" in drawn.content.decode()
    assert draw(client).content == drawn.content
    cache.clear()
    assert draw(client).content == drawn.content
    assert png.content.startswith(b"\x89PNG")
    for place, ending in (("1_sl", "pdf"), ("1_hr", "svg"), ("3_sl", "svg")):
        assert draw(client, place=place, ending=ending).status_code == 404


def test_predictions_of_files_that_are_not_published_are_for_the_team(client):
    make_published().teams.filter(name="Otters").update(publishes_files=False)

    for one in (client, client_of("herons")):
        assert draw(one).status_code == 404
        assert "predictions_" not in read(one)
    assert draw(client_of("otters")).status_code == 200
    assert "predictions_" in read(client_of("otters"))


def test_predictions_of_practice_data_are_for_the_team_until_publishing(client):
    make_contest({"visibility": "board"})
    SharedTask.objects.get().phases.update(data="practice")

    assert draw(client).status_code == 404
    assert "predictions_" not in read(client)
    assert "predictions_1_sl.svg" in read(client_of("otters"))


def test_a_result_without_a_language_has_no_figure_of_it(client):
    make_published()

    assert draw(client, "Stoats", "1_fi").status_code == 404
    assert draw(client, "Stoats", "1_sl").status_code == 200


def test_a_result_has_the_form_of_mteb(client):
    shared_task = make_published()

    answer = client.get(f"{address_of('Otters')}mteb_2.json")
    content = json.loads(answer.content)

    assert answer["Content-Disposition"].startswith("attachment")
    assert f"{address_of('Otters')}mteb_2.json" in read(client)
    assert content["task_name"] == "gwsc_subtask2"
    digests = "".join(shared_task.parts.values_list("data_sha256", flat=True))
    assert content["dataset_revision"] == hashlib.sha256(digests.encode()).hexdigest()
    scores = {one["hf_subset"]: one for one in content["scores"]["test"]}
    assert {tag: one["languages"] for tag, one in scores.items()} == {
        "fi": ["fin-Latn"], "sl": ["slv-Latn"],
    }  # fmt: skip
    stored = SubtaskScore.objects.get(
        submission__team__name="Otters", subtask=2, part__language="sl"
    )
    assert (scores["sl"]["main_score"], scores["sl"]["pearson"]) == (stored.score, stored.pearson)
    assert client.get(f"{address_of('Otters')}mteb_3.json").status_code == 404


def test_forms_of_hidden_gold_have_three_decimals(client):
    make_contest({"visibility": "board"})

    scores = client.get(f"{address_of('Otters')}mteb_2.json").json()["scores"]["test"]
    entries = yaml.safe_load(fetch_hub(client).content)

    assert all(one["main_score"] == round(one["main_score"], 3) for one in scores)
    assert not any("pearson" in one for one in scores)
    assert all(one["value"] == round(one["value"], 3) for one in entries)


def fetch_hub(client, dataset="example/gwsc"):
    return client.get(f"{address_of('Otters')}eval_results.yaml", {"dataset": dataset})


def test_a_result_has_the_form_of_the_hub(client):
    make_published()

    answer = fetch_hub(client)
    entries = yaml.safe_load(answer.content)

    assert answer["Content-Disposition"] == 'attachment; filename="gwsc.yaml"'
    assert [one["dataset"]["task_id"] for one in entries] == [
        f"subtask{subtask}_{column}" for subtask in (1, 2) for column in ("average", "fi", "sl")
    ]
    assert {one["dataset"]["id"] for one in entries} == {"example/gwsc"}
    assert {one["source"]["url"] for one in entries} == {
        f"{settings.SITE_URL}{address_of('Otters')}"
    }
    assert {one["date"] for one in entries} == {"2027-01-01"}


@pytest.mark.parametrize("dataset", ["", "gwsc", "a/b/c", "a b/c", "a/b\n- x: 1"])
def test_a_name_that_no_dataset_has_is_refused(client, dataset):
    make_published()

    answer = fetch_hub(client, dataset)

    assert answer.status_code == 409
    assert "owner/name" in answer.content.decode()


def test_forms_are_as_visible_as_the_result(client):
    make_contest()

    assert fetch_hub(client).status_code == 404
    assert client.get(f"{address_of('Otters')}mteb_1.json").status_code == 404


def test_results_vanish_when_they_are_taken_back(client):
    make_published()
    SharedTask.objects.update(state="finalised")

    assert client.get(address_of("Otters")).status_code == 404


def test_no_result_is_found_at_another_task_or_code(client):
    make_contest({"visibility": "board"})
    code = Submission.objects.get(team__name="Otters").code

    assert client.get(f"/tasks/other/results/{code}/").status_code == 404
    assert client.get("/tasks/gwsc/results/abcdefghij/").status_code == 404
