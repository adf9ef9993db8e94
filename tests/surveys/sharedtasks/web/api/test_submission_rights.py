"""Who may do what with submissions in the API, and what is hidden there, at every address."""

import re

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile

from surveys.models import ApiToken
from surveys.sharedtasks.models import (
    Organiser,
    SharedTask,
    Submission,
    SubtaskScore,
    TeamMember,
    TeamState,
)
from surveys.sharedtasks.scoring.gold import read_gold_file
from surveys.sharedtasks.scoring.visibility import round_figure
from surveys.web.api.urls import VIEWS
from tests.factories.boards import NOISE, disturb_intervals, finish, make_contest
from tests.factories.clients import client_of
from tests.factories.programs import Program
from tests.factories.sharedtasks import make_shared_task, make_team, result_file
from tests.hostile import undone
from tests.surveys.sharedtasks.web.api.test_submissions import program_of

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("clock")]
OWN = "shared-tasks/gwsc/submissions/"
ARGUMENTS = {"<slug:task>": "gwsc", "<slug:phase>": "evaluation", "<int:number>": "1"}


def list_addresses(views=VIEWS):
    """Yield the address of each view of shared tasks, for both subtasks, with its methods."""
    for pattern, (_, _, actions) in views.items():
        if pattern.startswith("shared-tasks/"):
            for address in {pattern.replace("<int:subtask>", subtask) for subtask in ("1", "2")}:
                for name, value in ARGUMENTS.items():
                    address = address.replace(name, value)
                yield address, {*actions} - {"head"}


OF_SUBMISSIONS = sorted({
    (method, address) for address, methods in list_addresses() for method in methods
    if "/submissions/" in address
})  # fmt: skip


def ask(program, method, address):
    """Return the answer to a request that is right for the address; nothing of it is stored."""
    with undone():
        if address == OWN and method == "post":
            files = [SimpleUploadedFile(*result_file(range(60)))]
            form = {"phase": "evaluation", "results": files}
            return program.client.post(f"/api/v1/{OWN}", form)
        body = {"note": "x"} if method == "patch" else {"subtask": 1}
        bare = method == "get" or address.endswith("withdrawal/")
        return program.send(method, address, None if bare else body)


def statuses(program):
    return {(method, one): ask(program, method, one).status_code for method, one in OF_SUBMISSIONS}


def accept_all(shared_task):
    """Let no team wait for its terms."""
    SharedTask.objects.filter(pk=shared_task.pk).update(terms="")


@pytest.fixture
def contest():
    shared_task = make_contest()
    accept_all(shared_task)
    return shared_task


def make_researcher(name, shared_task=None):
    user = User.objects.create_user(name)
    if shared_task:
        Organiser.objects.create(shared_task=shared_task, user=user)
    return program_of(name)


def test_a_member_may_do_all_of_it(contest):
    assert {one // 100 for one in statuses(program_of("otters")).values()} == {2}
    assert len(OF_SUBMISSIONS) == 6


def test_a_token_that_reads_changes_nothing(contest):
    found = statuses(program_of("otters", "sharedtasks:read"))

    assert {one for (method, _), one in found.items() if method != "get"} == {403}
    assert {one for (method, _), one in found.items() if method == "get"} == {200}


def test_without_a_token_or_with_other_scopes_nothing_is_open(contest):
    researcher = make_researcher("eva")
    ApiToken.objects.update(scopes=["studies:write"])

    assert set(statuses(Program("")).values()) == {401}
    assert set(statuses(researcher).values()) == {403}


def test_members_of_other_tasks_former_members_and_researchers_find_nothing(contest):
    make_team(make_shared_task(slug="other"), "Strangers")
    programs = [program_of("strangers"), make_researcher("eva"), program_of("newts")]
    TeamMember.objects.filter(participant__user__username="newts").delete()

    for program in programs:
        assert set(statuses(program).values()) == {404}


def test_an_organiser_reads_and_sends_trial_runs_alone(contest):
    found = statuses(make_researcher("ana", contest))

    assert found == {
        ("get", OWN): 200,
        ("post", OWN): 201,
        ("get", f"{OWN}evaluation/1/"): 200,
        ("patch", f"{OWN}evaluation/1/"): 403,
        ("post", f"{OWN}evaluation/1/choice/"): 403,
        ("post", f"{OWN}evaluation/1/withdrawal/"): 403,
    }


def test_a_member_reads_the_submissions_of_her_own_team_alone(contest):
    for name in ("otters", "herons"):
        program = program_of(name)
        own = {one.file_sha256 for one in Submission.objects.filter(team__name=name.title())}
        found = program.get(OWN).json()["results"]
        assert {one["sha256"] for one in found} == own
        assert program.get(f"{OWN}evaluation/1/").json()["sha256"] in own


def test_a_draft_is_not_found_by_its_teams_and_organisers(contest):
    organiser = make_researcher("ana", contest)
    SharedTask.objects.update(state="draft")

    for program in (program_of("otters"), organiser):
        assert set(statuses(program).values()) == {404}


def test_a_team_that_is_excluded_reads_and_submits_nothing(contest):
    contest.teams.filter(name="Otters").update(state=TeamState.EXCLUDED)
    found = statuses(program_of("otters"))

    assert (found["get", OWN], found["post", OWN]) == (200, 409)


def read_all(program):
    """Return headers and bodies of all answers of shared tasks, to every method."""
    found = {}
    for address, methods in list_addresses():
        for method in methods:
            answer = ask(program, method, address)
            assert answer.status_code < 500
            del answer["X-Request-ID"]
            found[method, address] = f"{dict(answer.items())}\n{answer.content.decode()}"
    return found


def read_scores(program):
    """Return the answers to requests that change nothing."""
    return {at: text for at, text in read_all(program).items() if at[0] == "get"}


def find(secrets, answers):
    return {(secret, at) for at, text in answers.items() for secret in secrets if secret in text}


def list_readers():
    """Return programs of members of two teams, of a researcher and without a token."""
    return [program_of("otters"), program_of("herons"), make_researcher("eva"), Program("")]


def list_secrets(shared_task):
    """Return what nobody may read before publishing: of the gold, and full digits of scores."""
    secrets = {shared_task.salt}
    for part in shared_task.parts.all():
        gold = read_gold_file(part, practice=False).decode()
        secrets |= {part.gold_sha256, gold[:60].split("\n", 1)[1]}
    for one in SubtaskScore.objects.all():
        figures = (one.score, one.pearson, one.spearman)
        secrets |= {repr(figure)[:8] for figure in figures if figure}
    return secrets


def test_a_hidden_phase_shows_neither_gold_nor_scores_anywhere(contest):
    secrets = list_secrets(contest)
    scores = SubtaskScore.objects.all()
    figures = {one for score in scores for one in (score.score, score.low, score.high) if one}
    shown = {f":{round_figure(one)}," for one in figures}

    for program in list_readers():
        assert find(secrets | shown, read_all(program)) == set()
    assert find(secrets, read_all(make_researcher("ana", contest))) == set()
    contest.phases.update(visibility="own")
    assert find(shown, read_all(program_of("otters"))) != set()


@pytest.mark.parametrize("visibility", ["own", "board"])
def test_gold_and_full_digits_are_at_no_address_before_publishing(contest, visibility):
    contest.phases.update(visibility=visibility)
    secrets = list_secrets(contest)

    for program in (*list_readers(), make_researcher("ana", contest)):
        assert find(secrets, read_all(program)) == set()


@pytest.mark.parametrize("visibility", ["hidden", "own", "board"])
def test_no_answer_depends_on_intervals_and_correlations_before_publishing(contest, visibility):
    contest.phases.update(visibility=visibility)
    programs = list_readers()
    before = [read_scores(program) for program in programs]

    disturb_intervals()

    assert [read_scores(program) for program in programs] == before
    shown = [text for text in before[0].values() if '"score":' in text or '"low":' in text]
    assert bool(shown) is (visibility != "hidden")
    assert not re.search(r'"(average_)?(low|high)": ?[\d-]', "".join(shown))


@pytest.mark.usefixtures("boards_without_figures")
def test_once_it_is_published_scores_have_all_digits():
    accept_all(finish(make_contest()))

    (shown,) = program_of("otters").get(OWN).json()["results"]

    stored = SubtaskScore.objects.filter(submission__team__name="Otters")
    assert {one["score"] for one in shown["scores"]} == {one.score for one in stored}
    assert all(one["pearson"] for one in shown["scores"] if one["subtask"] == 2)
    assert {one["low"] for one in shown["scores"]} == {one.low for one in stored}


@pytest.mark.parametrize("visibility", ["hidden", "board"])
def test_no_name_is_at_any_address_while_codes_stand_for_names(contest, visibility):
    SharedTask.objects.update(names="codes")
    contest.phases.update(visibility=visibility)
    names = {name.split()[0] for name in NOISE if name != "Otters"} | {"-bert"}

    assert find(names, read_all(program_of("otters"))) == set()
    assert find(names | {"Otters"}, read_all(make_researcher("eva"))) == set()


def test_flags_are_for_organisers_alone(contest):
    Submission.objects.update(flags=[{"flag": "ZEROS"}])

    for program in list_readers():
        assert find({"ZEROS", "flags"}, read_all(program)) == set()


def test_a_session_opens_nothing(contest):
    client = client_of("otters")

    assert client.get(f"/api/v1/{OWN}").status_code == 401
