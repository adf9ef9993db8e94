"""The sessions of an account: listed for their owner, ended one by one or together."""

import re

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from surveys.access.sessions import name_browser
from surveys.models import AccountSession, AuditEntry

PASSWORD = "correct horse"
FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"
EDGE = (
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) "
    "Chrome/140.0.0.0 Safari/537.36 Edg/140.0.0.0"
)
SAFARI = (
    "Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like "
    "Gecko) Version/18.5 Mobile/15E148 Safari/604.1"
)
ACCOUNT, STUDIES = reverse("console:account"), reverse("console:studies")
ENDING = re.compile(r'name="session" value="(\w{40})"')

pytestmark = pytest.mark.django_db


def sign_in(name="ana", agent=FIREFOX):
    if not User.objects.filter(username=name).exists():
        User.objects.create_user(name, password=PASSWORD)
    client = Client(headers={"User-Agent": agent})
    sent = {"username": name, "password": PASSWORD}
    assert client.post(reverse("console:sign_in"), sent).status_code == 302
    return client


def is_signed_in(client):
    return client.get(STUDIES).status_code == 200


def look(client):
    return client.get(ACCOUNT).content.decode()


@pytest.mark.parametrize(
    ("agent", "name"),
    [
        (FIREFOX, "Firefox on Linux"),
        (EDGE, "Edge on Windows"),
        (SAFARI, "Safari on iPhone"),
        ("curl/8", "Unknown on unknown system"),
    ],
)
def test_a_browser_is_named(agent, name):
    assert name_browser(agent) == name


def test_an_account_sees_its_own_sessions_and_no_keys():
    this, _, _ = sign_in(), sign_in(agent=EDGE), sign_in("eva", SAFARI)

    page = look(this)

    assert ("Firefox on Linux" in page, "Edge on Windows" in page) == (True, True)
    assert "Safari" not in page
    assert page.count("this session") == 1
    assert len(ENDING.findall(page)) == 1
    keys = AccountSession.objects.values_list("session_key", flat=True)
    assert not any(key in page for key in keys)


def test_one_session_is_ended():
    this, other = sign_in(), sign_in(agent=EDGE)

    this.post(ACCOUNT, {"session": ENDING.search(look(this))[1]})

    assert (is_signed_in(this), is_signed_in(other)) == (True, False)
    assert AuditEntry.objects.get().details == {"n_sessions": 1}


def test_all_other_sessions_of_the_account_are_ended():
    this, *others, stranger = sign_in(), sign_in(), sign_in(), sign_in("eva")

    assert "2 sessions ended" in this.post(ACCOUNT, {"session": ""}, follow=True).content.decode()

    assert [is_signed_in(client) for client in (this, *others, stranger)] == [
        True, False, False, True,
    ]  # fmt: skip


def test_nobody_ends_the_sessions_of_others():
    this, other, mallory = sign_in(), sign_in(agent=EDGE), sign_in("mallory")

    mallory.post(ACCOUNT, {"session": ENDING.search(look(this))[1]})

    assert is_signed_in(other)
    assert not AuditEntry.objects.exists()


def test_a_changed_password_ends_the_others():
    this, other = sign_in(), sign_in(agent=EDGE)
    new = {"new_password1": "another long horse", "new_password2": "another long horse"}

    this.post(reverse("console:change_password"), {"old_password": PASSWORD, **new})

    page = look(this)  # before the other session is tried, which deletes it
    assert (page.count("this session"), "Edge" in page) == (1, False)
    assert (is_signed_in(this), is_signed_in(other)) == (True, False)


def test_a_session_has_its_account_only_while_it_is_signed_in():
    client = sign_in()
    user = User.objects.get()
    assert list(AccountSession.objects.values_list("account_id", flat=True)) == [user.pk]

    client.post(reverse("console:sign_out"))

    assert not AccountSession.objects.filter(account_id=user.pk).exists()
