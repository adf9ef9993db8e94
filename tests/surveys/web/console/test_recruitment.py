import csv
import io

import lxml.html
import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from surveys.models import AuditEntry, Entrance, Invitation, Role, Study, TextKind
from surveys.recruitment.links import invite_annotators, invite_listed, open_entrance, personal_link
from surveys.study.design import configure_study
from surveys.study.texts import set_text
from tests.factories.pages import page, read
from tests.factories.studies import finish, start

CODES = {"completion_code": "C1ABC", "no_place_code": "C2XYZ", "cap": "40"}


def invite(client, study, **sent):
    n_before = Invitation.objects.personal(study).count()
    return client.post(page("invite", study), {"n_before": n_before, **sent})


def test_creating_a_number_of_links_is_idempotent(study, owner):
    first = invite(owner, study, count=3)
    again = owner.post(page("invite", study), {"n_before": 0, "count": 3})

    assert (first.status_code, first.url) == (302, page("recruitment", study))
    assert again.status_code == 422
    assert "perhaps by sending it twice" in again.content.decode()
    assert Invitation.objects.count() == 3
    entry = AuditEntry.objects.get(action="invitations.made")
    assert (entry.actor, entry.details) == ("ana", {"new": 3})


def test_links_are_created_for_a_pasted_list(study, owner):
    invite(owner, study, listed="ana@example.org\r\n\r\nclass 2b\r\n")
    invite(owner, study, listed="class 2b\nclass 2c")

    notes = Invitation.objects.order_by("pk").values_list("note", flat=True)
    assert list(notes) == ["ana@example.org", "class 2b", "class 2c"]
    assert "Links created: 1; already known: 1." in read(owner, "recruitment", study)
    assert "example.org" not in str(list(AuditEntry.objects.values_list("subject", "details")))


def test_links_are_created_for_an_uploaded_list(study, owner):
    invite(owner, study, file=SimpleUploadedFile("l.txt", "\ufeffžiga\r\nana\r\n".encode()))

    assert set(Invitation.objects.values_list("note", flat=True)) == {"žiga", "ana"}


def test_a_list_from_a_spreadsheet_is_read(study, owner):
    file = SimpleUploadedFile("list.txt", "Žiga\nČrt\n".encode("utf-16"))

    invite(owner, study, file=file)

    assert set(Invitation.objects.values_list("note", flat=True)) == {"Žiga", "Črt"}


@pytest.mark.every_database
def test_links_are_listed_by_state_and_note(study, owner):
    done, _, last = invite_listed(study, ["ana@example.org", "class 2b", "<b>Žiga</b>"]).new
    finish(start(study, done))

    everything = read(owner, "recruitment", study)
    assert "&lt;b&gt;Žiga" in everything
    assert f'value="http://127.0.0.1:8000/invitation/{last.token}/"' in everything
    address = page("recruitment", study)
    submitted = owner.get(address, {"state": "submitted"}).content.decode()
    assert "ana@example.org" in submitted
    assert "class 2b" not in submitted
    assert "class 2b" in owner.get(address, {"note": "2B"}).content.decode()
    assert "1 link," in owner.get(address, {"note": "example"}).content.decode()


@pytest.mark.every_database
def test_researchers_see_no_addresses_and_cannot_search_for_them(study, sign_in):
    (link,) = invite_listed(study, ["ana@example.org"]).new
    client = sign_in(Role.RESEARCHER)

    pages = [
        client.get(page("recruitment", study)).content.decode(),
        client.get(page("invitation", study, link.pk)).content.decode(),
        b"".join(client.get(page("export_links", study))).decode(),
    ]

    for text in pages:
        assert "a…@…" in text
        assert "example.org" not in text
        assert "mailto:" not in text
    found = client.get(page("recruitment", study), {"note": "ana@"}).content.decode()
    assert "0 links," in found


def test_owners_invite_and_remind_by_mail(study, owner):
    link, begun = invite_listed(study, ["ana@example.org", "berta@example.org"]).new
    start(study, begun)

    listed = read(owner, "recruitment", study)
    unused, used = (read(owner, "invitation", study, one.pk) for one in (link, begun))

    assert listed.count('href="mailto:ana@example.org?subject=') == 2
    assert listed.count('href="mailto:berta@example.org?subject=') == 1
    assert ">Invite</h2>" in unused
    assert ">Remind</h2>" in unused
    assert ">Invite</h2>" not in used
    assert ">Remind</h2>" in used


def test_mails_are_in_the_language_of_the_study_and_name_its_title_for_annotators(study, owner):
    Study.objects.update(language="sl", title="Pilot B, cheap", public_title="Besede")
    (link,) = invite_listed(study, ["ana@example.org"]).new

    text = read(owner, "invitation", study, link.pk)

    mails = lxml.html.fromstring(text).xpath("//textarea/text()")
    assert len(mails) == 2
    for mail in mails:
        assert "Pozdravljeni" in mail
        assert "Naslov raziskave: Besede" in mail
        assert "Pilot" not in mail


def test_links_are_exported_without_formulas(study, owner):
    invite_listed(study, ["=cmd()", "ana@example.org"])

    answer = owner.get(page("export_links", study))

    assert answer["Content-Disposition"] == 'attachment; filename="invitations_study.csv"'
    rows = list(csv.DictReader(io.StringIO(b"".join(answer).decode())))
    assert [(row["note"], row["state"]) for row in rows] == [
        ("'=cmd()", "unused"),
        ("ana@example.org", "unused"),
    ]


def test_mails_are_exported_for_a_mail_merge(study, owner, sign_in):
    set_text(study, TextKind.INVITATION, "=Come for {pay}\n\nHello,\n{link}")
    configure_study(study, pay="2 €")
    links = invite_listed(study, ["Ana <ana@example.org>", "class 2b", "eva@example.org"]).new
    start(study, links[1])
    finish(start(study, links[2]))

    def rows(reader, name):
        text = b"".join(reader.get(page(name, study))).decode()
        return list(csv.DictReader(io.StringIO(text)))

    (ana,) = rows(owner, "export_invitations")
    link = personal_link(links[0].token)
    assert ana == {
        "note": "Ana <ana@example.org>", "address": "ana@example.org", "link": link,
        "state": "unused", "subject": "'=Come for 2 €", "body": f"Hello,\n{link}",
    }  # fmt: skip
    reminded = rows(owner, "export_reminders")
    assert [row["note"] for row in reminded] == ["Ana <ana@example.org>", "class 2b"]
    assert "example.org" not in str(rows(sign_in(Role.RESEARCHER, "rob"), "export_reminders"))


def test_revoking_a_link_needs_a_reason_and_is_idempotent(study, owner):
    (link,) = invite_listed(study, ["ana@example.org"]).new
    address = page("invitation", study, link.pk)

    refused = owner.post(address, {"because": "  "})
    assert refused.status_code == 422
    for _ in range(2):
        assert owner.post(address, {"because": "asked us to"}).status_code == 302

    link.refresh_from_db()
    assert link.revoked_because == "asked us to"
    entry = AuditEntry.objects.get(action="invitation.revoked")
    assert (entry.subject, entry.details) == (str(link), {"reason": "asked us to"})
    text = read(owner, "invitation", study, link.pk)
    assert "asked us to" in text
    assert "Revoke the link" not in text


def test_the_open_link_is_opened_capped_and_closed(study, owner):
    address = page("open_link", study)
    assert ">Open</h2>" in read(owner, "open_link", study)

    assert owner.post(address, {"cap": "7"}).url == address
    entrance = Entrance.objects.get()
    assert (entrance.provider, entrance.cap, entrance.closed_at) == ("link", 7, None)
    assert f"/join/{entrance.token}/" in read(owner, "open_link", study)

    for _ in range(2):
        assert owner.post(page("close_entrance", study, entrance.pk)).url == address
    assert "Closed since" in read(owner, "open_link", study)
    done = AuditEntry.objects.filter(action__startswith="entrance").values_list("action", flat=True)
    assert list(done) == ["entrance.closed", "entrance.opened"]

    owner.post(address, {"cap": ""})
    entrance.refresh_from_db()
    assert (entrance.cap, entrance.closed_at) == (None, None)


def test_prolific_shows_its_url_and_return_urls(study, owner):
    assert owner.post(page("prolific", study), CODES).status_code == 302

    text = read(owner, "prolific", study)

    assert "PROLIFIC_PID={{%PROLIFIC_PID%}}&amp;STUDY_ID={{%STUDY_ID%}}" in text
    for code in ("C1ABC", "C2XYZ"):
        assert f"https://app.prolific.com/submissions/complete?cc={code}" in text


def test_prolific_refuses_one_code_for_two_ends(study, owner):
    answer = owner.post(page("prolific", study), {**CODES, "no_place_code": "C1ABC"})

    assert answer.status_code == 422
    assert "The two codes must differ" in answer.content.decode()
    assert not Entrance.objects.exists()


@pytest.mark.parametrize("url", ["http://localhost:8000", "https://survey.example.org"])
def test_pages_with_links_warn_of_an_unreachable_url(url, study, owner, settings):
    settings.SITE_URL = url
    (link,) = invite_annotators(study, 1)
    for provider in ("link", "prolific"):
        open_entrance(study, provider)
    pages = [
        read(owner, "recruitment", study), read(owner, "invite", study),
        read(owner, "invitation", study, link.pk), read(owner, "open_link", study),
        read(owner, "prolific", study),
    ]  # fmt: skip
    exported = b"".join(owner.get(page("export_links", study))).decode()

    warned = ["Do not send these links." in text for text in pages]

    assert warned == [url == "http://localhost:8000"] * 5
    for text in pages:
        first = text.find(f'value="{url}')
        assert first < 0 or not any(warned) or text.index("Do not send") < first
    assert "SITE_URL" not in exported


def test_pages_show_how_many_links_are_needed_and_why(study, owner):
    start(study)

    text = " ".join(read(owner, "invite", study).split())
    assert "3 open places ÷ 80&nbsp;% = 4 unused links" in text
    assert lxml.html.fromstring(text).xpath("//input[@name='count']/@value") == ["4"]
    shown = " ".join(read(owner, "recruitment", study).split())
    assert "4 more links are needed." in shown
    assert "Create 4 personal links" in shown


def test_recruitment_is_paginated(study, owner):
    invite_annotators(study, 30)

    text = read(owner, "recruitment", study)

    assert "Page 1 of 2" in text
    assert "30 links, newest first" in text


def test_an_open_link_of_a_paid_study_is_refused_without_a_code(study, owner):
    configure_study(study, pay="2 €")
    sent = {"cap": "", "completion_code": "", "no_place_code": ""}

    refused = owner.post(page("open_link", study), sent)
    opened = owner.post(page("open_link", study), {**sent, "completion_code": "DONE1"})

    assert refused.status_code in (409, 422)
    assert "the open link a completion code" in refused.content.decode()
    assert opened.status_code == 302
    assert Entrance.objects.get().completion_code == "DONE1"
