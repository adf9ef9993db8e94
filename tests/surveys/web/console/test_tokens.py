import lxml.html
import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse

from surveys.access.api_tokens import all_scopes, find_token
from surveys.models import ApiToken, AuditEntry, Role

PAGE = "/console/tokens/"
ASKED = {"name": "my script", "scopes": ["studies:read", "responses:read"]}


def shown_key(answer):
    return lxml.html.fromstring(answer.content).get_element_by_id("key").get("value")


def test_a_token_is_made_and_its_key_shown_once(reviewer):
    answer = reviewer.post(PAGE, ASKED)

    token = find_token(shown_key(answer))
    assert (token.name, token.scopes, token.user.username) == (
        "my script", ["studies:read", "responses:read"], "ana",
    )  # fmt: skip
    assert shown_key(answer) not in reviewer.get(PAGE).content.decode()
    assert "js/console." in answer.content.decode()  # adds the button that copies the key
    assert AuditEntry.objects.filter(action="token.made", actor="ana").exists()


@pytest.mark.usefixtures("kept_contexts")
@pytest.mark.parametrize(
    ("chosen", "ticked"),
    [
        ("read", [name for name in all_scopes() if name.endswith(":read")]),
        ("all", [*all_scopes()]),
        ("x", []),
    ],
)
def test_a_link_ticks_scopes(reviewer, chosen, ticked):
    form = reviewer.get(PAGE, {"scopes": chosen}).context["form"]

    assert form["scopes"].value() == ticked


def test_a_form_that_is_sent_twice_makes_one_token(reviewer):
    reviewer.post(PAGE, ASKED)

    answer = reviewer.post(PAGE, ASKED)

    assert answer.status_code == 422
    assert ApiToken.objects.count() == 1


def test_a_token_with_a_last_day_ends_with_it(reviewer):
    reviewer.post(PAGE, {**ASKED, "last_day": "2999-12-31"})

    assert f"{ApiToken.objects.get().expires_at:%Y-%m-%d %H:%M}" == "2999-12-31 23:59"


def test_a_token_is_revoked_by_its_person_alone(reviewer, sign_in):
    reviewer.post(PAGE, ASKED)
    token = ApiToken.objects.get()
    address = reverse("console:revoke_token", args=[token.pk])

    assert sign_in(Role.OWNER, "eva").post(address).status_code == 404
    assert sign_in(Role.OWNER, "eve").get(address).status_code == 404
    assert reviewer.post(address).status_code == 302

    token.refresh_from_db()
    assert token.revoked_at is not None
    assert "my script" not in reviewer.get(PAGE).content.decode()


def test_what_the_api_does_is_a_page_for_everybody(db):
    answer = Client().get("/api/v1/")

    assert answer.status_code == 200
    assert b"/api/v1/studies/{slug}/responses/" in answer.content
    assert "script-src 'self'" in answer["Content-Security-Policy"]
    assert "http" not in "".join(
        lxml.html.fromstring(answer.content).xpath("//script/@src | //link/@href | //img/@src")
    )


def test_a_token_is_made_by_a_command(reviewer, capsys):
    call_command("make_token", "ana", "nightly", "--scope", "runs:write", "--days", "30")

    token = find_token(capsys.readouterr().out.strip())
    assert (token.user.username, token.scopes) == ("ana", ["runs:write"])
    with pytest.raises(CommandError, match="no account"):
        call_command("make_token", "nobody", "nightly", "--scope", "runs:write")
