"""A new password by e-mail: the same answer for every address, one use, limits, second factor."""

import re
from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone
from django_otp.oath import totp

from surveys.access.account_addresses import change_address
from surveys.access.second_factor import add_second_factor, make_key
from surveys.access.sign_in_limits import RESET_LIMIT
from surveys.features import Lane
from surveys.jobs.perform import perform_due
from surveys.models import AuditEntry, Job, LimitedAccount, SignInBudget
from tests.fixtures.smtp import send_mail_here

ANA, OLD, NEW = "ana@example.org", "correct horse", "another long horse"
REQUEST, SIGN_IN, STUDIES, ADDRESS, CODE = (
    reverse(f"console:{name}")
    for name in ("request_reset", "sign_in", "studies", "address", "second_factor_code")
)
LINK = re.compile(r"https://survey\.example\.org(/\S+)")


@pytest.fixture
def post_office(settings):
    with send_mail_here(settings) as server:
        yield server


@pytest.fixture
def forgetful(db):
    return User.objects.create_user("ana", ANA, OLD)


def ask(address=ANA, client=None):
    return (client or Client()).post(REQUEST, {"email": address})


def receive(server):
    """Send what waits; return the path of the latest link."""
    perform_due(Lane.MAIL)
    return LINK.search(server.messages[-1].get_content())[1]


def choose(path, client=None):
    return (client or Client()).post(path, {"new_password1": NEW, "new_password2": NEW})


def is_signed_in(client):
    return client.get(STUDIES).status_code == 200


def test_a_link_sets_a_new_password_once(post_office, forgetful):
    before = Client()
    before.force_login(forgetful)
    ask("ANA@example.org")
    path, client = receive(post_office), Client()

    assert client.get(path).status_code == 200
    assert choose(path, client).url == STUDIES

    assert (is_signed_in(client), is_signed_in(before)) == (True, False)
    assert User.objects.get().check_password(NEW)
    assert (choose(path).status_code, Client().get(path).status_code) == (410, 410)
    assert post_office.recipients == [ANA]
    assert [*AuditEntry.objects.order_by("pk").values_list("action", flat=True)] == [
        "account.reset_sent", "account.link_used", "account.password_chosen",
    ]  # fmt: skip


def test_a_link_ends_after_an_hour_and_at_the_next_sign_in(post_office, forgetful, monkeypatch):
    ask()
    path = receive(post_office)
    later = timezone.localtime().replace(tzinfo=None) + timedelta(hours=1, minutes=1)
    with monkeypatch.context() as clock:
        clock.setattr(
            "django.contrib.auth.tokens.PasswordResetTokenGenerator._now", lambda _: later
        )
        assert choose(path).status_code == 410
    Client().post(SIGN_IN, {"username": "ana", "password": OLD})

    assert choose(path).status_code == 410
    assert User.objects.get().check_password(OLD)


def test_every_address_gets_the_same_answer_and_the_same_work(post_office, forgetful):
    LimitedAccount.objects.create(user=User.objects.create_user("team", "team@example.org", OLD))
    User.objects.create_user("gone", "gone@example.org", OLD, is_active=False)
    ask("warm@example.org")
    answers = set()
    for n, address in enumerate(
        (ANA, "nobody@example.org", "team@example.org", "gone@example.org")
    ):
        with CaptureQueriesContext(connection) as queries:
            answer = ask(address, Client(REMOTE_ADDR=f"203.0.113.{n}"))
        answers.add((answer.content, len(queries)))

    perform_due(Lane.MAIL)

    assert len(answers) == 1
    assert post_office.recipients == [ANA]
    assert not any(job.request for job in Job.objects.all())


def test_requests_are_limited_by_client_and_by_account(post_office, forgetful):
    statuses = [ask().status_code for _ in range(RESET_LIMIT.burst + 1)]
    assert statuses == [200] * RESET_LIMIT.burst + [429]
    SignInBudget.objects.filter(key__startswith="resets from").delete()
    assert ask(client=Client(REMOTE_ADDR="203.0.113.9")).status_code == 200

    perform_due(Lane.MAIL)

    assert post_office.recipients == [ANA] * RESET_LIMIT.burst


def test_a_second_factor_is_asked_for_all_the_same(post_office, forgetful):
    key = make_key()
    recovery = add_second_factor(forgetful, key, f"{totp(bytes.fromhex(key)):06}")[0]
    ask()
    client = Client()

    assert choose(receive(post_office), client).url == CODE

    assert not is_signed_in(client)
    client.post(CODE, {"code": recovery})
    assert is_signed_in(client)


def test_without_a_mail_server_there_is_no_page(client, forgetful):
    assert client.get(REQUEST).status_code == 404
    assert REQUEST not in client.get(SIGN_IN).content.decode()


def test_the_sign_in_page_leads_to_it(client, post_office, db):
    assert REQUEST in client.get(SIGN_IN).content.decode()


def test_an_account_changes_its_address_with_its_password(client, forgetful):
    change_address(forgetful, "")
    client.force_login(forgetful)
    sent = {"old_password": OLD, "email": ANA}

    assert client.post(ADDRESS, sent | {"old_password": "wrong"}).status_code == 422
    assert client.post(ADDRESS, sent | {"email": "ana"}).status_code == 422
    assert User.objects.get().email == ""
    client.post(ADDRESS, sent)

    assert User.objects.get().email == ANA
