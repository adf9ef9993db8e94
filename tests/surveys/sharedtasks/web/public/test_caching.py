"""Caches keep public pages of visitors alone: others see more at the same addresses."""

import pytest
from django.contrib.auth.models import User
from django.test import Client

from surveys.sharedtasks.models import Organiser, SharedTask
from tests.factories.boards import make_contest, make_public
from tests.factories.clients import client_of
from tests.factories.sharedtasks import START

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("clock")]
DONE = "/tasks/done/"
FILES = (
    "/tasks/under-way/kit/practice/", f"{DONE}board/evaluation/1/board.json", f"{DONE}archive.zip",
    f"{DONE}archive/README.md",
)  # fmt: skip


def headers_of(client, address):
    answer = client.get(address)
    assert answer.status_code == 200, address
    return answer["Cache-Control"], answer.get("Vary", "")


def organise(shared_task):
    Organiser.objects.create(shared_task=shared_task, user=User.objects.create_user("ana"))
    return client_of("ana")


def test_pages_of_visitors_are_kept_for_a_minute_and_those_of_others_by_nobody():
    addresses = [*make_public(START), *FILES]
    organiser = organise(SharedTask.objects.get(slug="done"))
    team = client_of("otters")

    for address in addresses:
        visitor = Client()
        kept, varies = headers_of(visitor, address)
        assert not visitor.cookies
        assert (kept, "Cookie" in varies) == ("public, max-age=60", True), address
        for reader in (team, organiser):
            assert headers_of(reader, address)[0] == "private, no-store", address


def test_a_hidden_board_is_kept_by_no_cache():
    organiser = organise(make_contest())
    board = "/tasks/gwsc/board/evaluation/1/"

    assert headers_of(organiser, board)[0] == "private, no-store"
    assert Client().get(board)["Cache-Control"] == "no-store"  # 404
