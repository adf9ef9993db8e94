"""What is hidden is at no address: scores, gold and names, for anybody, teams and researchers."""

import itertools
import re

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from surveys.sharedtasks.boards.files import FORMATS
from surveys.sharedtasks.models import SharedTask, Submission, SubtaskScore
from surveys.sharedtasks.scoring.gold import read_gold_file
from surveys.sharedtasks.scoring.visibility import round_figure
from surveys.sharedtasks.web.urls import urlpatterns
from tests.factories.boards import (
    NOISE,
    disturb_intervals,
    finish,
    make_contest,
    make_published,
)
from tests.factories.clients import client_of

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("clock")]
OWN = "otters"
OF_EACH_KIND = ["Otters", "Herons", "Stoats", "Voles", "Trial"]  # teams; the others are alike


def list_addresses():
    """Yield every address of shared tasks, those of results for a team of each kind."""
    results = Submission.objects.filter(team__name__in=OF_EACH_KIND)
    known = {
        "slug": ["gwsc"],
        "phase": ["evaluation"],
        "name": ["evaluation"],
        "subtask": [1, 2],
        "ending": list(FORMATS),
        "form": ["svg"],
        "language": ["sl"],
        "code": list(results.values_list("code", flat=True)),
        "path": ["README.md", "gold/gold_sl.tsv", "evaluation-1/board.json", "salt.bin"],
        "token": ["token"],
    }
    for one in urlpatterns:
        names = list(one.pattern.converters)
        for values in itertools.product(*(known.get(name, [1]) for name in names)):
            kwargs = dict(zip(names, values, strict=True))
            yield reverse(f"sharedtasks:{one.name}", kwargs=kwargs)


def read_each(client):
    """Yield every address with the headers and body of its answer."""
    for address in list_addresses():
        answer = client.get(address)
        assert answer.status_code < 500
        body = b"".join(answer.streaming_content) if answer.streaming else answer.content
        del answer["X-Request-ID"]
        yield address, f"{dict(answer.items())}\n{body.decode(errors='replace')}"


def read_all(client):
    return dict(read_each(client))


def read_scores(client):
    """Return every address and its answer, without what differs each time: tokens and instants."""
    return {
        address: re.sub(r"'Expires': '[^']+|csrfmiddlewaretoken\W+value=\W+\w+", "", page)
        for address, page in read_each(client)
    }


def list_readers():
    User.objects.create_user("researcher")
    return {"anybody": Client()} | {name: client_of(name) for name in (OWN, "herons", "researcher")}


def list_secrets(shared_task):
    """Return what nobody may read before publishing: of the gold, and full digits of scores."""
    yield shared_task.salt
    for part in shared_task.parts.all():
        yield part.gold_sha256
        yield read_gold_file(part, practice=False).decode()[:60].split("\n", 1)[1]
    for score in SubtaskScore.objects.all():
        yield from (repr(figure)[:8] for figure in (score.score, score.pearson, score.spearman)
                    if figure)  # fmt: skip


def find(secrets, pages):
    return {(secret, address) for address, page in pages.items() for secret in secrets
            if secret in page}  # fmt: skip


def test_a_hidden_phase_shows_neither_gold_nor_scores_anywhere():
    secrets = set(list_secrets(make_contest()))
    secrets |= {f">{round_figure(one.score):.3f}" for one in SubtaskScore.objects.all()}
    secrets |= {f"{round_figure(one.low):.3f}–" for one in SubtaskScore.objects.all() if one.low}

    for name, client in list_readers().items():
        assert (name, find(secrets, read_all(client))) == (name, set())


def test_a_board_shows_neither_gold_nor_full_digits_anywhere():
    secrets = set(list_secrets(make_contest({"visibility": "board"})))

    for name, client in list_readers().items():
        assert (name, find(secrets, read_all(client))) == (name, set())


@pytest.mark.parametrize("visibility", ["hidden", "own", "board"])
def test_no_answer_depends_on_intervals_and_correlations_before_publishing(visibility):
    make_contest({"visibility": visibility})
    clients = list_readers()
    before = {name: read_scores(client) for name, client in clients.items()}

    disturb_intervals()

    assert all(before.values())
    for name, client in clients.items():
        after = read_scores(client).items()
        assert (name, [address for address, page in after if page != before[name][address]]) == (
            name, []
        )  # fmt: skip


@pytest.mark.usefixtures("boards_without_figures")
def test_results_have_intervals_once_they_are_published():
    shared_task = finish(make_contest())
    score = SubtaskScore.objects.get(
        submission__team__name="Otters", subtask=1, part__language="sl"
    )

    pages = read_scores(Client()) | read_scores(client_of(OWN))

    ends = f"{score.low:.3f}", f"{score.high:.3f}"
    pages_with = [address for address, page in pages.items() if "–".join(ends) in page]
    assert {"board" in one for one in pages_with} == {True, False}  # and on the result's page
    assert " to ".join(ends) in pages[f"/tasks/{shared_task.slug}/team/submissions/evaluation/1/"]
    assert repr(score.low) in pages["/tasks/gwsc/board/evaluation/1/board.json"]


def test_gold_is_found_once_it_is_published():
    shared_task = make_published()
    part = shared_task.parts.get(language="sl")

    assert any(part.gold_sha256 in page for _, page in read_each(Client()))


@pytest.mark.parametrize("visibility", ["hidden", "board"])
def test_no_name_is_at_any_address_while_codes_stand_for_names(visibility):
    make_contest({"visibility": visibility}, names="codes")
    names = {name.split()[0] for name in NOISE if name != "Otters"} | {"-bert"}

    for client in (Client(), client_of(OWN)):
        pages = read_all(client)
        found = find(names, {one: page for one, page in pages.items() if "/team/" not in one})
        assert found == set()
    assert find({"Otters"}, read_all(Client())) == set()


def test_a_draft_is_at_no_address():
    make_contest({"visibility": "board"})
    SharedTask.objects.update(state="draft")

    for client in (Client(), client_of(OWN)):
        of_task = [address for address in list_addresses() if "/gwsc/" in address]
        statuses = {client.get(address).status_code for address in of_task}
        assert statuses - {302, 403, 405} == {404}
