"""Accounts that open the pages of one app open nothing of the core, also without the app."""

import pytest
from django.contrib.auth.models import User

from surveys.models import LimitedAccount

pytestmark = pytest.mark.django_db


@pytest.fixture
def user():
    user = User.objects.create_superuser("eva", password="a secret of eva")
    LimitedAccount.objects.create(user=user, home="no_such_app:account")
    return user


@pytest.mark.parametrize("address", ["/console/", "/admin/"])
def test_an_account_of_an_app_that_is_switched_off_opens_nothing(client, user, address):
    client.force_login(user)

    answer = client.get(address)

    assert answer.status_code == 403
    assert "for researchers" in answer.content.decode()
    assert "href" not in answer.content.decode().partition("<main>")[2]


@pytest.mark.needs("sharedtasks")
def test_the_page_links_to_the_pages_of_the_account(client, user):
    user.limited_account.home = "sharedtasks:account"
    client.force_login(user)

    assert '<a href="/tasks/account/">' in client.get("/console/").content.decode()


def test_another_sign_in_to_the_session_opens_the_console(client, user):
    client.force_login(user)
    client.force_login(User.objects.create_user("ana"))

    assert client.get("/console/").status_code == 200
