"""Identities: shown to owners only, exported, erased and dropped."""

import json

import pytest
from django.contrib.auth.models import User
from django.urls import reverse

from surveys.access.audit_log import record
from surveys.access.roles import grant_role
from surveys.models import Annotator, AuditEntry, Review, Role, RunKind, VerdictKind
from surveys.participation.assignments import begin_assignment
from surveys.privacy.erasure import withdraw_annotator
from surveys.privacy.retention import drop_due, mark_paid, set_retention
from surveys.recruitment.links import invite_listed, invite_scripted_annotators, open_entrance
from surveys.results.ratings_table import withdrawal_cutoff
from surveys.review.queue import file_answers
from surveys.review.verdicts import give_verdict
from surveys.web.console.urls import urlpatterns
from tests.factories.newcomers import CODES, arrive
from tests.factories.pages import page, read
from tests.factories.studies import QUICK, finish, make_release, make_run, make_study, start, stored

WORKER = "5f0c0ffee0000000000000aa"
SESSION = "6a0c0ffee0000000000000bb"
MAIL = "ana.novak@example.org"
SECRETS = (WORKER, SESSION, "ana.novak", "example.org")


@pytest.fixture
def two_people(study):
    """Return an annotator from Prolific, and one whose link has an address in its note."""
    prolific = open_entrance(study, "prolific", **CODES)
    came = begin_assignment(arrive(prolific, WORKER, SESSION))
    finish(came)
    (link,) = invite_listed(study, [MAIL]).new
    invited = start(study, link)
    record("study.noted", study, "", said=f"{MAIL} is {WORKER}")
    return came.annotator, invited.annotator


def pages_of(study, annotators):
    """Yield the URL of every page of a study, for each annotator and link."""
    links = study.invitations.values_list("pk", flat=True)
    known = {"code": [one.code for one in annotators], "invitation_id": list(links)}
    for pattern in urlpatterns:
        found = dict.fromkeys(pattern.pattern.converters, 1)
        if found.pop("slug", None):
            (name,) = known.keys() & found.keys() or ("",)
            for value in known.get(name, [1]):
                filled = {**found, "slug": study.slug, **({name: value} if name else {})}
                yield reverse(f"console:{pattern.name}", kwargs=filled)


@pytest.mark.parametrize("role", [Role.RESEARCHER, Role.REVIEWER])
def test_only_owners_see_identities(role, two_people, study, sign_in):
    client = sign_in(role)
    n_shown = 0

    for where in pages_of(study, two_people):
        answer = client.get(where)
        sent = b"".join(answer) if answer.streaming else answer.content
        assert not [secret for secret in SECRETS if secret in sent.decode()], where
        n_shown += answer.status_code == 200

    assert n_shown > 10
    searched = client.get(page("recruitment", study), {"note": "novak"})
    assert "a…@…" not in searched.content.decode()


def test_owners_see_identities(two_people, study, owner):
    came, invited = two_people

    assert WORKER in read(owner, "person", study, came.code)
    assert MAIL in read(owner, "person", study, invited.code)
    assert MAIL in read(owner, "recruitment", study)
    assert MAIL in read(owner, "log", study)
    assert page("person", study, came.code) in read(owner, "annotator", study, came.code)


def test_reviewers_find_no_link_to_an_identity(two_people, study, sign_in):
    came, _ = two_people
    text = read(sign_in(Role.REVIEWER), "annotator", study, came.code)

    assert page("person", study, came.code) not in text
    assert page("privacy", study) not in text


@pytest.mark.every_database
def test_a_note_that_is_an_id_is_masked_and_not_found(study, sign_in):
    invite_listed(study, [WORKER])
    client = sign_in(Role.RESEARCHER)

    assert WORKER not in read(client, "recruitment", study)
    found = client.get(page("recruitment", study), {"note": WORKER[:8]}).content.decode()
    assert "/invitation/" not in found


# Found


@pytest.mark.every_database
@pytest.mark.parametrize("text", [WORKER, f" {WORKER} ", "code", "link"])
def test_a_person_is_found_by_code_id_link_and_note(text, two_people, study, owner):
    came, _ = two_people
    known = {"code": came.code[:8], "link": f"https://x.org/invitation/{came.invitation.token}/"}

    answer = owner.post(page("find_person", study), {"text": known.get(text, text)})

    assert (answer.status_code, answer.url) == (302, page("person", study, came.code))


@pytest.mark.every_database
def test_a_person_is_found_after_their_data_was_dropped(two_people, study, owner):
    came, _ = two_people
    set_retention(study, 0)
    mark_paid(study)
    drop_due(study)

    answer = owner.post(page("find_person", study), {"text": WORKER})

    assert answer.url == page("person", study, came.code)
    assert "dropped" in read(owner, "person", study, came.code)


def test_several_results_are_listed_and_none_is_reported(two_people, study, owner):
    invite_listed(study, ["berta@example.org"])

    found = owner.post(page("find_person", study), {"text": "example.org"}).content.decode()
    nobody = owner.post(page("find_person", study), {"text": "nobody"}).content.decode()

    assert MAIL in found
    assert "(unused) berta@example.org" in found
    assert "No annotator and no unused link matches" in nobody
    assert owner.post(page("find_person", study), {"text": "\0"}).status_code == 422


def test_people_of_other_studies_are_not_found(two_people, study, owner):
    other = make_study(1, slug="other")
    grant_role(other, User.objects.get(username="ana"), Role.OWNER)

    found = owner.post(page("find_person", other), {"text": WORKER}).content.decode()

    assert "No annotator and no unused link matches" in found


# Exported


@pytest.mark.every_database
def test_everything_about_a_person_is_downloaded(two_people, study, owner):
    came, invited = two_people
    file_answers(study)
    review = Review.objects.filter(assignment__annotator=came, response__isnull=False)[0]
    judge = User.objects.create_user("judith")
    give_verdict(review, judge, VerdictKind.REJECTED, "copied")
    make_release(study, report={}, collected_at=withdrawal_cutoff(study))

    answer = owner.post(page("export_person", study, came.code))

    assert answer["Content-Disposition"] == (f'attachment; filename="person_{came.code}.json"')
    exported = json.loads(answer.content)
    assert (exported["known_as"]["provider_id"], exported["annotator"]["code"]) == (
        WORKER,
        came.code,
    )
    assert [visit["submission"] for visit in exported["known_as"]["visits"]] == [SESSION]
    assert exported["consent"]["version"] == came.consent.version
    (assignment,) = exported["assignments"]
    assert [(one["inspired_word1"], one["rating"]) for one in assignment["answers"]] == [
        ("sea", 3), ("sea", 3),
    ]  # fmt: skip
    assert "alpha1" in "".join(one["text"] for one in assignment["answers"])
    assert [(one["kind"], one["reason"]) for one in exported["verdicts"]] == [
        ("rejected", "copied")
    ]
    assert len(exported["releases_with_their_ratings"]) == 1
    assert [one["what"] for one in exported["log"]] == ["verdict.given", "annotator.exported"]
    assert "judith" not in answer.content.decode()
    assert invited.code not in answer.content.decode()
    assert AuditEntry.objects.filter(action="annotator.exported", actor="ana").count() == 1


def test_a_download_requires_a_post(two_people, study, owner):
    assert owner.get(page("export_person", study, two_people[0].code)).status_code == 405


# Erased


def test_the_erasure_page_shows_the_effects(two_people, study, owner):
    came, _ = two_people
    now = withdrawal_cutoff(study)
    release = make_release(study, report={}, collected_at=now)

    text = read(owner, "erase", study, came.code)

    assert "<strong>2 answers</strong> are erased" in text
    assert "<strong>1 finished questionnaire</strong> leaves the dataset" in text
    assert f"Release {release.number}" in text
    assert stored(came, "erased_at") == (None,)


def test_erasing_requires_a_reason_and_is_logged(two_people, study, owner):
    came, _ = two_people

    refused = owner.post(page("erase", study, came.code), {"because": ""})
    done = owner.post(page("erase", study, came.code), {"because": "asked by mail"})

    assert (refused.status_code, done.status_code) == (422, 302)
    text = read(owner, "person", study, came.code)
    assert "Erased on" in text
    assert WORKER not in text
    assert AuditEntry.objects.get(action="annotator.erased").actor == "ana"


def test_what_was_made_before_is_marked_on_every_page(two_people, study, owner):
    came, _ = two_people
    now, counted = withdrawal_cutoff(study), {"counts": {"ratings_used": 2}}
    release = make_release(study, report={}, collected_at=now)
    elsewhere = make_release(study, report={}, collected_at=now)
    done = {"state": "done", "report": counted, "collected_at": now}
    done["recipe"] = QUICK
    published = make_run(study, RunKind.RELEASE, release=release, number=release.number, **done)
    results = make_run(study, RunKind.RESULTS, **done)
    marked = "1 annotator withdrew or was erased"
    assert marked not in read(owner, "release", study)

    withdraw_annotator(came)

    assert read(owner, "release", study).count(marked) == 2
    assert f"Release {elsewhere.number}, created on the command line" in read(
        owner, "release", study
    )
    assert marked in read(owner, "results", study)
    for run in (published, results):
        assert marked in read(owner, "run", study, run.pk)


# Paid, settled, dropped


def test_data_is_dropped_after_payment(two_people, study, owner):
    came, _ = two_people

    owner.post(page("privacy", study), {"days": "0"})
    owner.post(page("pay", study), {"n_unpaid": 1})
    before = read(owner, "privacy", study)
    owner.post(page("drop", study))

    assert "Marked as paid: 1." in before
    assert "Drop what is due" in before
    after = read(owner, "privacy", study)
    assert "Dropped: annotators 1, unused links 0." in after
    assert "Nothing is due" in after
    assert "dropped" in read(owner, "person", study, came.code)


def test_a_person_is_marked_as_paid_and_unpaid(two_people, study, owner):
    came, _ = two_people

    owner.post(page("pay_person", study, came.code), {"is_paid": "yes"})
    assert stored(came, "paid_at") != (None,)
    owner.post(page("pay_person", study, came.code), {"is_paid": "no"})
    assert stored(came, "paid_at") == (None,)


def test_payable_annotators_are_counted(two_people, study, owner):
    nobody = " ".join(read(owner, "privacy", make_owned(owner, "nobody")).split())
    one = " ".join(read(owner, "privacy", study).split())
    (link,) = invite_scripted_annotators(study, 1)
    finish(start(study, link))
    mark_paid(study)
    none = " ".join(read(owner, "privacy", study).split())

    assert "No annotator is waiting for pay." in nobody
    assert "<strong>1</strong> annotator has finished work" in one
    assert "<dt>Marked as paid</dt><dd>0</dd>" in one
    assert "<dt>Marked as paid</dt><dd>1</dd>" in none
    assert "No annotator is waiting for pay. 1 scripted annotator is not counted." in none


def make_owned(client, slug):
    """Create another study of the signed-in user."""
    study = make_study(1, slug=slug)
    grant_role(study, User.objects.get(username="ana"), Role.OWNER)
    return study


def test_a_person_page_shows_whether_pay_is_owed(two_people, study, owner):
    came, invited = two_people
    (link,) = invite_scripted_annotators(study, 1)
    scripted = start(study, link)

    assert "<dd>not marked</dd>" in read(owner, "person", study, came.code)
    assert "<dd>nothing is finished</dd>" in read(owner, "person", study, invited.code)
    assert "who is not paid" in read(owner, "person", study, scripted.annotator.code)


def test_only_as_many_are_marked_as_paid_as_were_shown(two_people, study, owner):
    """An annotator who finishes after the page was shown is not marked."""
    shown = read(owner, "pay", study)
    finish(start(study))

    again = owner.post(page("pay", study), {"n_unpaid": 1})

    assert "Mark 1 as paid" in shown
    assert "Mark 2 as paid" in again.content.decode()
    assert not Annotator.objects.filter(paid_at__isnull=False).exists()


def test_a_study_with_unpaid_annotators_cannot_be_settled(two_people, study, owner):
    text = read(owner, "privacy", study)

    refused = owner.post(page("settle", study), {"is_settled": "yes"})

    assert page("settle", study) not in text
    assert refused.status_code == 409
    assert stored(study, "settled_at") == (None,)


def test_a_study_is_settled_and_reopened(study, owner):
    owner.post(page("settle", study), {"is_settled": "yes"})
    assert "Settled on" in read(owner, "privacy", study)
    owner.post(page("settle", study), {"is_settled": "no"})
    assert stored(study, "settled_at") == (None,)


def test_a_note_of_an_unused_link_is_dropped(study, owner):
    (link,) = invite_listed(study, [MAIL]).new

    owner.post(page("forget", study, link.pk), {"because": "wants no mail"})

    assert stored(link, "note") == ("",)
    assert "A link whose note was deleted" in read(owner, "invitation", study, link.pk)
    assert owner.post(page("forget", study, 999), {"because": "x"}).status_code == 404


# The log


def test_the_exported_log_is_masked_by_role(two_people, study, owner, sign_in):
    other = sign_in(Role.RESEARCHER, "rita")

    for_owner, for_other = (
        b"".join(browser.get(page("export_log", study), {"action": "study."})).decode()
        for browser in (owner, other)
    )

    header, row = for_owner.splitlines()
    assert header == "at,who,what,about,details"
    assert f"{MAIL} is {WORKER}" in row
    assert "a…@… is …" in for_other
