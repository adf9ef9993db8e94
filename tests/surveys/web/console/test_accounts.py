"""Accounts in the console: invited by a link, with a password of their own."""

from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from surveys.access.sign_in_links import INVITED_FOR
from surveys.models import AuditEntry, Membership, Role

SECRET = "correct horse battery"


def page(name, *more):
    return reverse(f"console:{name}", args=more)


def invite(client, study, name="eva"):
    sent = {"username": name, "role": "reviewer"}
    return client.post(page("invite_person", study.slug), sent)


def read_link(answer):
    text = answer.content.decode()
    start = text.index("/console/invited/")
    return text[start : text.index('"', start)]


def choose(client, link, secret=SECRET):
    return client.post(link, {"new_password1": secret, "new_password2": secret})


def test_an_invited_person_chooses_a_password_and_is_signed_in(study, sign_in):
    link = read_link(invite(sign_in(Role.OWNER), study))
    guest = Client()

    assert "Welcome, eva" in guest.get(link).content.decode()
    assert choose(guest, link, "1234").status_code == 422
    assert choose(guest, link).url == page("studies")

    assert study.slug in guest.get(page("studies")).content.decode()
    assert Membership.objects.get(study=study, user__username="eva").role == Role.REVIEWER
    assert User.objects.get(username="eva").check_password(SECRET)
    names = [*AuditEntry.objects.order_by("pk").values_list("action", flat=True)]
    assert names[-3:] == ["account.invited", "member.granted", "account.password_chosen"]


def test_a_link_works_once_and_for_seven_days(study, owner, monkeypatch):
    used, late = (read_link(invite(owner, study, name)) for name in ("eva", "zoe"))
    choose(Client(), used)
    assert choose(Client(), used, "another long secret").status_code == 410

    later = timezone.now().timestamp() + INVITED_FOR.total_seconds() + 1
    monkeypatch.setattr("django.core.signing.time.time", lambda: later)

    assert choose(Client(), late).status_code == 410
    assert Client().get(page("choose_password", "1:x:y")).status_code == 410
    assert User.objects.get(username="eva").check_password(SECRET)
    assert not User.objects.get(username="zoe").has_usable_password()


def test_only_owners_invite(study, sign_in):
    assert invite(sign_in(Role.RESEARCHER), study).status_code == 403


def test_a_password_is_changed_with_the_old_one_and_ends_other_sessions(study, sign_in):
    client, other = sign_in(Role.OWNER), Client()
    other.force_login(User.objects.get(username="ana"), "django.contrib.auth.backends.ModelBackend")
    sent = {"new_password1": SECRET, "new_password2": SECRET}

    wrong = client.post(page("change_password"), {**sent, "old_password": "wrong"})
    right = client.post(page("change_password"), {**sent, "old_password": "correct horse"})

    assert (wrong.status_code, right.url) == (422, page("studies"))
    assert client.get(page("studies")).status_code == 200
    assert other.get(page("studies")).status_code == 302
    assert AuditEntry.objects.latest("pk").action == "account.password_changed"


def test_an_account_checks_its_old_password_five_times_at_once(study, sign_in):
    client, sent = sign_in(Role.OWNER), {"new_password1": SECRET, "new_password2": SECRET}
    address = page("change_password")

    wrong = [client.post(address, {**sent, "old_password": "wrong"}) for _ in range(6)]
    right = client.post(address, {**sent, "old_password": "correct horse"})

    assert ["Too many passwords" in answer.text for answer in wrong] == [False] * 5 + [True]
    assert right.status_code == 422
    assert User.objects.get(username="ana").check_password("correct horse")
