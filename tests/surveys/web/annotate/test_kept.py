"""An annotator's copy of what is stored about them, and the statements on data protection."""

import json

import pytest

from surveys.models import AuditEntry
from surveys.participation.withdrawal import return_assignment
from surveys.privacy.erasure import withdraw_annotator
from surveys.study.design import configure_study
from surveys.study.lifecycle import close_study
from tests.factories.arrivals import page
from tests.factories.studies import finish, make_study, rate_due, start

pytestmark = [pytest.mark.django_db, pytest.mark.study(ratings_per_context=3)]


def test_an_annotator_downloads_their_own_answers_by_their_link(client, study):
    other, own = start(study), start(study)
    finish(other, rating=6)
    rate_due(own, 2)

    shown = client.get(page("kept", own)).content.decode()
    answer = client.post(page("kept", own))

    assert "Download my data" in shown
    assert answer["Content-Type"] == "application/json"
    assert "no-store" in answer["Cache-Control"]
    assert answer["Content-Disposition"].startswith("attachment")
    data = json.loads(answer.content)
    assert data["annotator"]["code"] == own.annotator.code
    assert [row["rating"] for row in data["assignments"][0]["answers"]] == [2]
    for secret in (other.annotator.code, other.token):
        assert secret not in answer.content.decode()
    entry = AuditEntry.objects.get(action="annotator.exported")
    assert (entry.actor, entry.subject) == ("the annotator", f"annotator {own.annotator.code}")


@pytest.mark.parametrize("state", ["begun", "submitted", "returned", "withdrawn", "closed"])
def test_the_copy_is_there_in_every_state(client, study, state):
    assignment = start(study)
    if state in ("submitted", "closed"):
        finish(assignment)
    if state == "returned":
        return_assignment(assignment, "no reason")
    if state == "withdrawn":
        rate_due(assignment, 2)
        withdraw_annotator(assignment.annotator)
    if state == "closed":
        close_study(study)

    answer = client.post(page("kept", assignment))

    assert answer.status_code == 200
    assert b"Download my data" in client.get(page("kept", assignment)).content
    answers = json.loads(answer.content)["assignments"][0]["answers"]
    assert len(answers) == (2 if state in ("submitted", "closed") else 0)


def test_no_copy_without_the_link(client, study):
    assignment = start(study)

    for token in (assignment.annotator.code, str(assignment.pk), assignment.token[:-1]):
        assert client.post(f"/survey/{token}/kept/").status_code == 404


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("en", "Legal basis for storing your data"), ("hr", "Pravna osnova"),
        ("sl", "Pravna podlaga"), ("fi", "oikeusperuste"), ("ar", "الأساس القانوني"),
        ("fa", "مبنای قانونی"),
    ],
)  # fmt: skip
def test_statements_on_data_protection_are_shown_if_they_are_set(client, language, said):
    study = make_study(2, language=language)
    before = client.get(page("kept", start(study))).content.decode()
    study = configure_study(
        study, legal_basis="Consent <a>", authority="AZOP", data_protection_officer="Ana, a@b.org"
    )

    after = client.get(page("kept", start(study))).content.decode()

    assert said not in before
    for shown in (said, "Consent &lt;a&gt;", "AZOP", "a@b.org"):
        assert shown in after
