"""Who may open the organisers' pages, at every address; and the number of their queries."""

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from surveys.access.audit_log import record
from surveys.sharedtasks.models import Organiser, PublishedBoard, SharedTask
from surveys.sharedtasks.web.organisers.urls import OF_A_TASK, urlpatterns
from tests.factories.clients import client_of
from tests.factories.sharedtasks import make_part, make_phase, make_shared_task, make_team

pytestmark = pytest.mark.django_db
MOST_QUERIES = 17


def fill(shared_task, n=1):
    """Add n rows of each kind to a shared task."""
    for k in range(n):
        make_part(shared_task, f"l{chr(97 + k)}")
        make_phase(shared_task, f"evaluation-{k}")
        PublishedBoard.objects.create(shared_task=shared_task, name=f"evaluation-{k}", source="S")
        make_team(shared_task, f"Team {shared_task.slug} {k}")
        user = User.objects.create_user(f"{shared_task.slug}-{k}")
        Organiser.objects.create(shared_task=shared_task, user=user)
        record("sharedtask.part_added", shared_task, str(k), n_pairs=k)


def values_of(shared_task):
    """Return the arguments of addresses: those of the first rows of a shared task, or 1."""
    team = shared_task.teams.first()
    firsts = {
        "user_id": shared_task.organisers.values_list("user_id", flat=True).first(),
        "team_id": team and team.pk,
        "member_id": team and team.members.values_list("pk", flat=True).first(),
    }
    names = ("link_id", "submission_id", "scoring_id", "number")
    return {
        "language": "la", "name": "evaluation-0", "subtask": 1, **dict.fromkeys(names, 1),
        **{name: value or 1 for name, value in firsts.items()},
    }  # fmt: skip


def addresses(slug):
    """Return the addresses of all pages of a shared task by name."""
    values = values_of(SharedTask.objects.get(slug=slug))
    found = {}
    for pattern in urlpatterns:
        if pattern.name in OF_A_TASK:
            wanted = pattern.pattern.converters.keys() - {"slug"}
            kwargs = {"slug": slug, **{name: values[name] for name in wanted}}
            found[pattern.name] = reverse(f"organisers:{pattern.name}", kwargs=kwargs)
    return found


@pytest.mark.parametrize("method", ["get", "post"])
def test_without_a_sign_in_all_addresses_lead_to_the_sign_in_page(method):
    make_shared_task()
    others = [reverse("organisers:tasks"), reverse("organisers:new_task")]

    answers = [getattr(Client(), method)(one) for one in (*addresses("gwsc").values(), *others)]

    places = {(one.status_code, one.get("Location", "").partition("?")[0]) for one in answers}
    assert places - {(405, "")} == {(302, reverse("console:sign_in"))}


@pytest.mark.parametrize("method", ["get", "post"])
@pytest.mark.parametrize("state", ["draft", "open", "published"])
def test_other_researchers_find_nothing_at_any_address(method, state):
    make_shared_task(User.objects.create_user("ana"), state=state, published_at="2027-03-01T00:00Z")
    mate = client_of(User.objects.create_user("mate"))

    answers = {
        name: getattr(mate, method)(address).status_code
        for name, address in addresses("gwsc").items()
    }

    assert len(answers) >= 15
    assert {name: status for name, status in answers.items() if status not in {404, 405}} == {}


def test_operators_organise_every_shared_task():
    make_shared_task()

    client = client_of(User.objects.create_superuser("op"))

    assert client.get(addresses("gwsc")["overview"]).status_code == 200


def test_pages_are_not_cached():
    ana = User.objects.create_user("ana")
    make_shared_task(ana)

    answer = client_of(ana).get(addresses("gwsc")["overview"])

    assert "no-store" in answer["Cache-Control"]


def test_lists_make_the_same_number_of_queries_for_one_row_and_three():
    client = client_of(User.objects.create_superuser("op"))
    counts = []
    for n in (1, 3):
        fill(make_shared_task(slug=f"of-{n}"), n)
        found = {}
        for name, address in addresses(f"of-{n}").items():
            if name != "kit" and client.get(address).status_code == 200:
                with CaptureQueriesContext(connection) as asked:
                    client.get(address)
                found[name] = len(asked)
        counts.append(found)

    assert {"overview", "data", "phases", "organisers", "log"} <= counts[0].keys()
    assert counts[0] == counts[1]
    assert {name: n for name, n in counts[0].items() if n > MOST_QUERIES} == {}


def test_the_list_makes_the_same_number_of_queries_for_one_row_and_three():
    client = client_of(User.objects.create_superuser("op"))
    counts = []
    for slug in ("one", "two", "three"):
        fill(make_shared_task(slug=slug))
        with CaptureQueriesContext(connection) as asked:
            client.get(reverse("organisers:tasks"))
        counts.append(len(asked))

    assert counts[0] == counts[2]
