"""The second factor: added with the password, asked for at every sign-in, limited, removed."""

import re
from datetime import timedelta
from io import StringIO
from types import SimpleNamespace

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from django_otp.oath import TOTP
from django_otp.plugins.otp_totp.models import TOTPDevice

from surveys.access.known_browsers import COOKIE
from surveys.access.second_factor import add_second_factor, has_second_factor, make_key
from surveys.access.sign_in_limits import BROWSER_LIMIT, CODE_LIMIT
from surveys.access.sign_in_links import make_sign_in_link
from surveys.models import AuditEntry
from surveys.web.sign_in import PENDING_SECONDS

PASSWORD = "correct horse"
CODE, PAGE, STUDIES = (
    reverse(f"console:{name}") for name in ("second_factor_code", "second_factor", "studies")
)
DOORS = ["console:sign_in", "admin:login"]
KEY = re.compile(r'name="key" value="([0-9a-f]{40})"')


@pytest.fixture
def guarded(db):
    return User.objects.create_superuser("ana", password=PASSWORD)


@pytest.fixture
def code_clock(monkeypatch):
    """Stop the clock of the limits, of codes and of the sign-in; tests set `now`."""
    code_clock = SimpleNamespace(now=timezone.now(), time=lambda: code_clock.now.timestamp())
    fake = SimpleNamespace(now=lambda: code_clock.now)
    monkeypatch.setattr("surveys.access.sign_in_limits.timezone", fake)
    monkeypatch.setattr("surveys.web.sign_in.timezone", fake)
    monkeypatch.setattr("django_otp.plugins.otp_totp.models.time", code_clock)
    return code_clock


def code_of(key, code_clock, step=0):
    totp = TOTP(bytes.fromhex(key))
    totp.time = code_clock.now.timestamp() + 30 * step
    return f"{totp.token():06}"


@pytest.fixture
def factor(guarded, code_clock):
    """Add a second factor; return its key and recovery codes."""
    key = make_key()
    codes = add_second_factor(guarded, key, code_of(key, code_clock, -1))
    return SimpleNamespace(key=key, codes=codes, now=lambda: code_of(key, code_clock))


def give_password(client, door="console:sign_in", after=""):
    sent = {"username": "ana", "password": PASSWORD, "next": after}
    return client.post(reverse(door), sent)


def is_signed_in(client):
    return client.get(STUDIES).status_code == 200


def actions():
    return [*AuditEntry.objects.order_by("pk").values_list("action", flat=True)]


def test_an_account_adds_a_second_factor_with_its_password(client, guarded, code_clock):
    client.force_login(guarded)
    key = KEY.search(client.get(PAGE).content.decode())[1]
    sent = {"old_password": PASSWORD, "code": code_of(key, code_clock), "key": key}

    assert client.post(PAGE, sent | {"old_password": "wrong"}).status_code == 422
    wrong = client.post(PAGE, sent | {"code": "000000"})
    assert wrong.status_code == 422
    assert KEY.search(wrong.content.decode())[1] == key
    assert not TOTPDevice.objects.exists()
    answer = client.post(PAGE, sent)

    shown = re.findall(r"<li>([a-z2-7]{8})</li>", answer.content.decode())
    assert (len(shown), answer.status_code, has_second_factor(guarded)) == (10, 200, True)
    assert not any(code in client.get(PAGE).content.decode() for code in [key, *shown])
    assert actions() == ["account.factor_added"]


def test_a_key_that_the_page_did_not_make_is_refused(client, guarded, code_clock):
    client.force_login(guarded)
    sent = {"old_password": PASSWORD, "code": code_of("00" * 10, code_clock), "key": "00" * 10}

    assert client.post(PAGE, sent).url == PAGE
    assert not has_second_factor(guarded)


def test_the_picture_is_part_of_the_page(client, guarded):
    client.force_login(guarded)

    page = client.get(PAGE).content.decode()

    assert 'src="data:image/svg+xml' in page
    assert " style=" not in page


@pytest.mark.parametrize("door", DOORS)
def test_every_sign_in_form_asks_for_a_code(client, factor, door):
    answer = give_password(client, door, after=PAGE)

    assert answer.url == CODE
    assert COOKIE not in client.cookies
    assert not is_signed_in(client)
    assert client.get("/admin/").status_code == 302
    assert client.post(CODE, {"code": factor.now()}).url == PAGE
    assert is_signed_in(client)
    assert COOKIE in client.cookies


def test_a_sign_in_link_asks_for_a_code(client, factor):
    path = make_sign_in_link("ana").partition("/console/")[2]

    assert client.post(f"/console/{path}").url == CODE
    assert not is_signed_in(client)


def test_a_code_and_a_recovery_code_work_once(factor):
    first, second = Client(), Client()
    for code in (factor.now(), factor.codes[0].upper()):
        give_password(first)
        assert first.post(CODE, {"code": code}).status_code == 302
        give_password(second)
        assert second.post(CODE, {"code": code}).status_code == 422
        assert not is_signed_in(second)

    assert actions() == ["account.factor_added", "account.recovery_code_used"]


def test_a_code_is_asked_for_only_after_a_password(client, factor, guarded, code_clock):
    assert client.get(CODE).url == reverse("console:sign_in")
    give_password(client)
    code_clock.now += timedelta(seconds=PENDING_SECONDS + 1)
    assert client.post(CODE, {"code": factor.now()}).url == reverse("console:sign_in")
    give_password(client)
    guarded.set_password("another horse")
    guarded.save()
    assert client.post(CODE, {"code": factor.now()}).url == reverse("console:sign_in")
    assert not is_signed_in(client)


def test_wrong_codes_are_limited_for_the_account(factor, caplog):
    for _ in range(CODE_LIMIT.burst):
        client = Client()  # a browser for each
        give_password(client)
        assert client.post(CODE, {"code": "000000"}).status_code == 422

    refused = client.post(CODE, {"code": factor.now()})

    assert refused.status_code == 429
    assert int(refused["Retry-After"]) <= CODE_LIMIT.interval.total_seconds()
    assert not is_signed_in(client)
    assert "A second factor from 127.0.0.1 to account ana was wrong" in caplog.text
    assert "000000" not in caplog.text


def test_wrong_codes_from_elsewhere_leave_a_known_browser_open(factor):
    known, attacker = Client(), Client()
    give_password(known)
    known.post(CODE, {"code": factor.codes[0]})
    known.post(reverse("console:sign_out"))
    give_password(attacker)
    for _ in range(CODE_LIMIT.burst + 1):
        refused = attacker.post(CODE, {"code": "000000"})
    assert refused.status_code == 429

    give_password(known)

    for _ in range(BROWSER_LIMIT.burst - 1):
        assert known.post(CODE, {"code": "000000"}).status_code == 422
    assert known.post(CODE, {"code": factor.now()}).status_code == 302


def test_a_second_factor_is_removed_with_the_password(client, factor, guarded):
    client.force_login(guarded)

    assert client.post(PAGE, {"old_password": "wrong", "what": "remove"}).status_code == 422
    assert has_second_factor(guarded)
    assert client.post(PAGE, {"old_password": PASSWORD, "what": "remove"}).url == PAGE

    assert not has_second_factor(guarded)
    assert give_password(Client()).url == STUDIES
    assert actions()[-1] == "account.factor_removed"


def test_new_recovery_codes_replace_the_earlier_codes(client, factor, guarded):
    client.force_login(guarded)

    answer = client.post(PAGE, {"old_password": PASSWORD, "what": "codes"})

    (new, *_) = re.findall(r"<li>([a-z2-7]{8})</li>", answer.content.decode())
    other = Client()
    give_password(other)
    assert other.post(CODE, {"code": factor.codes[0]}).status_code == 422
    assert other.post(CODE, {"code": new}).status_code == 302


def test_an_operator_removes_a_second_factor(factor, guarded):
    for answer in ("ana has no second factor now.\n", "ana had none.\n"):
        printed = StringIO()
        call_command("remove_second_factor", "ana", stdout=printed)
        assert printed.getvalue() == answer

    assert give_password(Client()).url == STUDIES
    with pytest.raises(CommandError, match="No account with this name"):
        call_command("remove_second_factor", "nobody")


def test_the_admin_shows_no_keys(client, factor, guarded):
    client.force_login(guarded)

    assert client.get("/admin/otp_totp/totpdevice/").status_code == 404
    assert client.get("/admin/otp_static/staticdevice/").status_code == 404
