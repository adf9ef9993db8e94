"""Single sign-on against a provider on this machine, honest and not."""

from io import StringIO
from urllib.parse import parse_qsl, urlsplit

import pytest
from django.contrib.auth.models import User
from django.core.exceptions import ImproperlyConfigured
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse
from django_otp.oath import totp

from annotation_site.parsing import provider_url
from surveys.access.second_factor import add_second_factor, make_key
from surveys.access.sign_in_limits import SINGLE_SIGN_ON_LIMIT
from surveys.models import AuditEntry, LimitedAccount, Membership
from tests.fixtures.oidc import make_key as make_signing_key
from tests.fixtures.oidc import run_oidc_provider

ANA = "ana@example.org"
VOUCHED = {"email": ANA, "email_verified": True}
BEGIN, RETURN, STUDIES, SIGN_IN, CODE, ADDRESS = (
    reverse(f"console:{name}")
    for name in (
        "single_sign_on", "single_sign_on_return", "studies", "sign_in", "second_factor_code",
        "address",
    )
)  # fmt: skip


@pytest.fixture
def provider(settings, db):
    with run_oidc_provider() as provider:
        settings.OIDC_ISSUER, settings.OIDC_CLIENT = provider.issuer, "cosima"
        settings.OIDC_SECRET = "s3cret"
        provider.claims = dict(VOUCHED)
        yield provider


@pytest.fixture
def vouched_for(db):
    return User.objects.create_user("ana", ANA, "correct horse")


def begin(client, provider):
    address = client.get(BEGIN).url
    provider.asked = dict(parse_qsl(urlsplit(address).query))
    return address


def come_back(client, provider, code="right", **more):
    return client.get(RETURN, {"code": code, "state": provider.asked["state"], **more})


def sign_in(provider):
    client = Client()
    begin(client, provider)
    return client, come_back(client, provider)


def is_signed_in(client):
    return client.get(STUDIES).status_code == 200


def test_an_account_is_matched_by_a_verified_address(provider, vouched_for):
    provider.claims["email"] = "Ana@example.org"

    client, answer = sign_in(provider)

    assert answer.url == STUDIES
    assert client.get(STUDIES).wsgi_request.user == vouched_for
    assert provider.asked["redirect_uri"].endswith(RETURN)
    assert provider.asked["code_challenge_method"] == "S256"
    assert "code_verifier" in provider.sent
    assert User.objects.count() == 1


def test_the_address_may_come_from_the_userinfo_endpoint(provider, vouched_for):
    provider.claims, provider.more = {}, dict(VOUCHED)
    assert is_signed_in(sign_in(provider)[0])

    provider.more["sub"] = "8"  # of somebody else
    assert not is_signed_in(sign_in(provider)[0])


@pytest.mark.parametrize(
    "claims",
    [
        {"email_verified": False},
        {"email_verified": "true"},
        {"email": ""},
        {"email": "nobody@example.org"},
        {"aud": "another"},
        {"iss": "http://127.0.0.1:1"},
        {"nonce": "another"},
        {"exp": 1},
    ],
)
def test_other_claims_open_nothing(provider, vouched_for, claims):
    provider.claims |= claims

    client, answer = sign_in(provider)

    assert answer.status_code == 409
    assert not is_signed_in(client)
    assert User.objects.count() == 1


def test_a_token_with_another_signature_opens_nothing(provider, vouched_for):
    provider.signing_key = make_signing_key(2)

    assert not is_signed_in(sign_in(provider)[0])


def test_a_wrong_code_or_state_opens_nothing(provider, vouched_for):
    client, other = Client(), Client()
    begin(client, provider)

    assert come_back(other, provider).status_code == 409  # begun in another browser
    assert come_back(client, provider, code="wrong").status_code == 409
    assert come_back(client, provider).status_code == 409  # its state is used up
    assert client.get(RETURN).status_code == 409
    assert not is_signed_in(client)
    assert not is_signed_in(other)


def test_unknown_inactive_and_ambiguous_addresses_get_the_same_answer(provider, vouched_for):
    provider.claims["email"] = "nobody@example.org"
    unknown = sign_in(provider)[1].content.decode()
    provider.claims["email"] = ANA
    User.objects.update(is_active=False)
    inactive = sign_in(provider)[1].content.decode()
    User.objects.update(is_active=True)
    User.objects.create_user("second", ANA)
    ambiguous = sign_in(provider)[1].content.decode()

    assert unknown.replace("nobody@", "ana@") == inactive == ambiguous


def test_a_limited_account_is_not_opened(provider, vouched_for):
    LimitedAccount.objects.create(user=vouched_for, home="console:studies")

    assert not is_signed_in(sign_in(provider)[0])


def test_strangers_get_an_account_without_a_role_if_the_operator_wishes(provider, settings):
    settings.OIDC_STRANGERS = True

    for _ in range(2):
        assert is_signed_in(sign_in(provider)[0])

    user = User.objects.get()
    assert (user.username, user.email, user.is_staff) == (ANA, ANA, False)
    assert not user.has_usable_password()
    assert not Membership.objects.exists()
    assert AuditEntry.objects.get().action == "account.made"


def test_a_second_factor_is_still_asked_for(provider, vouched_for):
    key = make_key()
    add_second_factor(vouched_for, key, f"{totp(bytes.fromhex(key)):06}")

    client, answer = sign_in(provider)

    assert answer.url == CODE
    assert not is_signed_in(client)


def test_starts_are_limited(provider):
    for _ in range(SINGLE_SIGN_ON_LIMIT.burst):
        assert Client().get(BEGIN).status_code == 302
    assert Client().get(BEGIN).status_code == 429


def test_a_silent_provider_is_said_to_be_silent(provider, client):
    provider.shutdown()
    provider.server_close()

    answer = client.get(BEGIN)

    assert (answer.status_code, "does not answer" in answer.content.decode()) == (409, True)


def test_addresses_are_set_by_operators(provider, vouched_for):
    client, _ = sign_in(provider)
    assert client.get(ADDRESS).status_code == 404

    call_command("set_address", "ana", "eva@example.org", stdout=StringIO())

    assert User.objects.get().email == "eva@example.org"
    with pytest.raises(CommandError, match="valid email"):
        call_command("set_address", "ana", "eva")


def test_without_a_provider_there_is_no_page(client, db):
    assert client.get(BEGIN).status_code == client.get(RETURN).status_code == 404
    assert BEGIN not in client.get(SIGN_IN).content.decode()


def test_the_sign_in_page_names_the_provider(provider, client):
    assert "Sign in at 127.0.0.1" in client.get(SIGN_IN).content.decode()


def test_the_setting_is_an_issuer_with_a_client(monkeypatch):
    monkeypatch.setenv("OIDC_URL", "https://id:a%40b@login.example.org:8443/realms/lab/")
    assert provider_url("OIDC_URL") == ("https://login.example.org:8443/realms/lab", "id", "a@b")
    for wrong in ("http://id:pass@example.org", "https://example.org", "https://id@example.org"):
        monkeypatch.setenv("OIDC_URL", wrong)
        with pytest.raises(ImproperlyConfigured, match="issuer") as refusal:
            provider_url("OIDC_URL")
        assert "pass" not in str(refusal.value)
