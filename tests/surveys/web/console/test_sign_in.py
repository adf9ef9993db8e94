"""Sign-ins under attack: few password checks, cheap refusals, and access for known browsers."""

import logging
import re
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from io import StringIO
from ipaddress import ip_network
from types import SimpleNamespace

import pytest
from axes.models import AccessAttempt
from django.contrib.auth.hashers import MD5PasswordHasher
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.db import connection
from django.db.models import F
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from surveys.access.sign_in_limits import ADDRESS_LIMIT, BROWSER_LIMIT, OTHERS_LIMIT, checking_alone
from surveys.models import AuditEntry, SignInBudget

PASSWORD, WRONG = "correct horse", "wrong"
DOORS = ["console:sign_in", "admin:login"]
STRANGER = Client()  # shared by all attempts without a known browser, since creating one is slow
ATTACKER, OTHER = "203.0.113.9", "198.51.100.7"


class CountingHasher(MD5PasswordHasher):
    """A password hasher that counts its computations."""

    n_hashes = 0

    def encode(self, password: str, salt: str) -> str:
        type(self).n_hashes += 1
        return super().encode(password, salt)


@pytest.fixture(autouse=True)
def stopped_clock(monkeypatch):
    """Stop the clock, so that no check is restored on a slow machine; `let_pass` advances it."""
    now = timezone.now()
    clock = SimpleNamespace(now=lambda: now)
    monkeypatch.setattr("surveys.access.sign_in_limits.timezone", clock)


@pytest.fixture
def hashes(settings):
    settings.PASSWORD_HASHERS = [f"{__name__}.CountingHasher"]
    return CountingHasher


@pytest.fixture
def superuser(db, hashes):
    user = User.objects.create_superuser("researcher", password=PASSWORD)
    hashes.n_hashes = 0
    return user


@pytest.fixture
def proxied(settings):
    settings.TRUSTED_PROXIES = [ip_network("127.0.0.1")]


def attempt(name, password=WRONG, *, client=None, door=DOORS[0], peer=ATTACKER, **headers):
    sent = {"username": name, "password": password}
    if client is None:
        client = STRANGER
        client.cookies.clear()
    return client.post(reverse(door), sent, REMOTE_ADDR=peer, headers=headers)


def attack(n_tries, *, name="name {}", **options):
    """Return the number of attempts by status."""
    statuses = [attempt(name.format(n), **options).status_code for n in range(n_tries)]
    return {status: statuses.count(status) for status in set(statuses)}


def let_pass(**span):
    """Advance the clock."""
    passed = timedelta(**span)
    AccessAttempt.objects.update(attempt_time=F("attempt_time") - passed)
    SignInBudget.objects.update(spent_until=F("spent_until") - passed)


@pytest.mark.parametrize("door", DOORS)
def test_random_names_from_one_address_compute_few_hashes(superuser, hashes, door):
    statuses = attack(60, door=door)

    assert hashes.n_hashes == ADDRESS_LIMIT.burst
    assert statuses == {200: ADDRESS_LIMIT.burst, 429: 60 - ADDRESS_LIMIT.burst}


def test_a_refusal_has_retry_after_and_writes_nothing(
    superuser, hashes, django_assert_max_num_queries
):
    attack(ADDRESS_LIMIT.burst)
    computed = hashes.n_hashes

    with django_assert_max_num_queries(2) as asked:
        refused = attempt("another")

    assert hashes.n_hashes == computed
    assert refused.status_code == 429
    assert 1 <= int(refused["Retry-After"]) <= ADDRESS_LIMIT.interval.total_seconds()
    assert all(query["sql"].startswith("SELECT") for query in asked.captured_queries)


def test_random_names_from_many_addresses_compute_few_hashes(superuser, hashes):
    for n in range(60):
        attempt(f"name {n}", peer=f"203.0.113.{n}")

    assert hashes.n_hashes == OTHERS_LIMIT.burst


def test_an_address_has_as_many_checks_as_were_restored(superuser, hashes):
    attack(60)
    let_pass(minutes=3)

    assert attack(10)[200] == 3


def test_addresses_of_one_ipv6_customer_share_their_checks(superuser, hashes):
    for n in range(30):
        attempt(f"name {n}", peer=f"2001:db8:0:{n:x}::1")

    assert hashes.n_hashes == ADDRESS_LIMIT.burst
    assert attempt("name", peer="2001:db8:1::1").status_code == 200


def test_sign_ins_that_succeed_use_up_nothing(superuser):
    for _ in range(3 * OTHERS_LIMIT.burst):
        assert attempt("researcher", PASSWORD).status_code == 302


def test_a_session_of_another_account_gives_no_checks_back(superuser, hashes):
    client = Client()
    User.objects.create_user("mallory", password=PASSWORD)
    client.force_login(User.objects.get(username="mallory"))
    hashes.n_hashes = 0

    attack(30, client=client, door="admin:login")

    assert hashes.n_hashes == ADDRESS_LIMIT.burst


def test_an_attack_from_elsewhere_leaves_a_known_browser_open(superuser):
    """Also without a trusted proxy, where all clients have one address."""
    known = Client()
    attempt("researcher", PASSWORD, client=known)
    known.post(reverse("console:sign_out"))
    attack(60, name="researcher")
    attack(60)

    assert attempt("researcher", PASSWORD).status_code == 429
    assert attempt("researcher", PASSWORD, client=known).status_code == 302


def test_a_known_browser_is_known_for_its_account_and_password_alone(superuser):
    known = Client()
    User.objects.create_user("other", password=PASSWORD)
    attempt("researcher", PASSWORD, client=known)
    attack(60)

    assert attempt("other", PASSWORD, client=known).status_code == 429

    superuser.set_password("another horse")
    superuser.save()
    assert attempt("researcher", "another horse", client=known).status_code == 429


def test_a_known_browser_guesses_slowly(superuser, hashes):
    known = Client()
    attempt("researcher", PASSWORD, client=known)
    known.post(reverse("console:sign_out"))
    hashes.n_hashes = 0

    statuses = [attempt("researcher", client=known).status_code for _ in range(30)]

    assert hashes.n_hashes == BROWSER_LIMIT.burst
    assert statuses[BROWSER_LIMIT.burst :] == [429] * (30 - BROWSER_LIMIT.burst)


def test_the_cookie_of_a_known_browser_is_guarded_and_ends(superuser):
    client = Client()
    attempt("researcher", PASSWORD, client=client)
    cookie = client.cookies["known_browser"]
    assert (cookie["httponly"], cookie["samesite"]) == (True, "Strict")
    assert cookie["max-age"] == 90 * 24 * 3600

    client.cookies["known_browser"] = f"x{cookie.value}"
    attack(60)
    assert attempt("researcher", PASSWORD, client=client).status_code == 429


def test_after_the_pause_the_right_password_works_though_tries_went_on(superuser):
    attack(5, name="researcher")
    for _ in range(14):
        let_pass(minutes=1)
        assert attempt("researcher", PASSWORD).status_code == 429
    let_pass(minutes=2)

    assert attempt("researcher", PASSWORD).status_code == 302


def test_a_locked_name_has_retry_after(superuser):
    attack(4, name="researcher")
    locking, locked = attempt("researcher"), attempt("researcher", PASSWORD)

    for answer in (locking, locked):
        assert answer.status_code == 429
        assert 14 * 60 < int(answer["Retry-After"]) <= 15 * 60
        assert "Wait 15 minutes" in answer.content.decode()


def test_behind_a_trusted_proxy_each_client_is_limited_by_itself(superuser, proxied, hashes):
    for n in range(30):
        forwarded = {"X-Forwarded-For": f"1.2.3.{n}, {ATTACKER}"}  # the first is forged
        attempt("researcher", peer="127.0.0.1", **forwarded)
        attempt(f"name {n}", peer="127.0.0.1", **forwarded)
    assert hashes.n_hashes == ADDRESS_LIMIT.burst

    other = attempt("researcher", PASSWORD, peer="127.0.0.1", **{"X-Forwarded-For": OTHER})
    assert other.status_code == 302


@pytest.mark.parametrize("header", ["X-Forwarded-For", "Forwarded", "X-Real-IP", "Client-IP"])
def test_forged_headers_change_nothing(superuser, proxied, hashes, header):
    for n in range(30):
        attempt(f"name {n}", **{header: f"1.2.3.{n}"})

    assert hashes.n_hashes == ADDRESS_LIMIT.burst


def test_known_and_unknown_names_cost_the_same(superuser, hashes):
    spent = []
    for name in ("researcher", "nobody"):
        SignInBudget.objects.all().delete()
        computed = hashes.n_hashes
        with CaptureQueriesContext(connection) as asked:
            attempt(name)
        statements = [re.sub(r"s\d+_x\d+", "savepoint", query["sql"])[:30] for query in asked]
        spent.append((hashes.n_hashes - computed, statements))

    assert spent[0][0] == 1
    assert spent[0] == spent[1]


def test_the_log_names_the_address_and_no_name_without_an_account(superuser, caplog):
    with caplog.at_level(logging.WARNING, "surveys"):
        attempt("my secret password")
        attack(60, name="researcher")
        attack(60)

    said = [record.getMessage() for record in caplog.records if record.name.startswith("surveys")]
    assert said[0] == f"A sign-in from {ATTACKER} to a name without an account failed"
    assert f"A sign-in from {ATTACKER} to account researcher failed" in said
    assert f"Sign-ins to account researcher from {ATTACKER} are now refused" in said
    assert said[-1].endswith(f"no password checks left for address {ATTACKER}")
    assert "my secret password" not in caplog.text
    assert len(said) == ADDRESS_LIMIT.burst + 2  # many attempts do not write many lines


@pytest.mark.parametrize("name", ["a\0b", "x" * 1000, "", " researcher ", "ﬁ"])
def test_odd_names_are_refused_like_others(superuser, name):
    assert attempt(name).status_code == 200


def make_link(name="researcher"):
    said = StringIO()
    call_command("sign_in_link", name, stdout=said, stderr=StringIO())
    return re.sub(r"^https?://[^/]+", "", said.getvalue().strip())


def test_a_link_signs_in_once_and_makes_the_browser_known(superuser):
    attack(60, name="researcher")
    attack(60)
    link, client = make_link(), Client()

    shown = client.get(link)
    used = client.post(link)

    assert "Sign in as researcher" in shown.content.decode()
    assert (used.status_code, used.url) == (302, reverse("console:studies"))
    assert client.get(reverse("console:studies")).status_code == 200
    assert Client().get(link).status_code == Client().post(link).status_code == 410
    client.post(reverse("console:sign_out"))
    assert attempt("researcher", PASSWORD, client=client).status_code == 302
    actions = AuditEntry.objects.filter(action__startswith="account.link").order_by("pk")
    assert list(actions.values_list("action", "actor", "subject")) == [
        ("account.link_made", "the command line", "researcher"),
        ("account.link_used", "researcher", "researcher"),
    ]


def test_a_link_expires(superuser, settings):
    link = make_link()
    assert Client().get(link[:-2] + "x/").status_code == 410
    assert Client().get(link.replace(f"/{superuser.pk}/", f"/{10**30}/")).status_code == 410

    settings.PASSWORD_RESET_TIMEOUT = -1
    assert Client().post(link).status_code == 410
    settings.PASSWORD_RESET_TIMEOUT = 3600
    attempt("researcher", PASSWORD)
    assert Client().post(link).status_code == 410


def test_a_link_of_an_inactive_account_is_refused(superuser):
    link = make_link()
    User.objects.update(is_active=False)

    assert Client().post(link).status_code == 410
    with pytest.raises(CommandError, match="No account with this name"):
        make_link()


def test_budgets_that_are_full_again_are_forgotten(superuser):
    attack(3)
    let_pass(days=1)
    attempt("name", peer=OTHER)

    keys = set(SignInBudget.objects.values_list("key", flat=True))
    assert f"address {ATTACKER}" not in keys
    assert f"address {OTHER}" in keys


def test_a_password_is_checked_while_no_other_is(superuser, hashes):
    """Other threads of the process remain available to annotators."""
    with checking_alone():
        refused = attempt("researcher", PASSWORD)

    assert (refused.status_code, refused["Retry-After"]) == (429, "2")
    assert hashes.n_hashes == 0
    assert attempt("researcher", PASSWORD).status_code == 302


def test_a_waiting_check_follows_the_other():
    def wait_for_turn():
        with checking_alone(patience=60) as is_alone:
            return is_alone

    with ThreadPoolExecutor(1) as other:
        with checking_alone():
            turn = other.submit(wait_for_turn)
        assert turn.result() is True


def test_the_sign_in_page_says_what_to_do_about_a_forgotten_password(db):
    page = STRANGER.get(reverse("console:sign_in")).content.decode()

    said = " ".join(page.split())
    assert "Forgotten your password? Ask an operator for a one-time sign-in link." in said
