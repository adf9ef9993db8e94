"""Privacy of worker ids: stored in one table, and shown nowhere else."""

import json
import logging
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db.models import F
from django.urls import reverse

from surveys.crowd.ledger import (
    begin_sending,
    intend_bonus,
    intend_reward,
    mark_payment_unknown,
    settle_payment,
)
from surveys.crowd.models import Grant, Payment, Qualification
from surveys.crowd.reconciliation import Report, reconcile
from surveys.models import AuditEntry, Membership, Study, Visit, Worker
from surveys.participation.arrivals import find_annotators
from surveys.privacy.erasure import erase_annotator
from surveys.privacy.retention import drop_due, set_retention, settle_study
from surveys.privacy.subject_access import export_annotator_data
from surveys.results.export import stream_responses
from surveys.web.admin.read_only import list_tables
from tests.factories.arrivals import agree, page
from tests.factories.batches import OTHER, WORKER, come, do, hand_in

pytestmark = [pytest.mark.django_db, pytest.mark.study(ratings_per_context=4)]
SUBMISSION = "3ASSIGNMENT1"


@pytest.fixture
def paid(hit) -> Visit:
    """Return a visit with a paid reward, an unknown bonus, and a qualification."""
    visit = hand_in(do(hit))
    reward = intend_reward(visit)
    begin_sending(reward)
    settle_payment(reward)
    ana = User.objects.get(username="ana")
    bonus = intend_bonus(visit, "thanks", 10, by=ana, reason=f"{WORKER} was careful")
    begin_sending(bonus)
    mark_payment_unknown(bonus, f"unknown whether {WORKER} has it")
    qualification = Qualification.objects.create(
        study=hit.batch.study, provider="simulator", name="had block 1"
    )
    Grant.objects.create(qualification=qualification, worker=visit.worker, reason="came")
    return visit


def tables_with(text: str) -> set[str]:
    """Return the tables that contain a text."""
    models = list_tables("surveys")
    return {model.__name__ for model in models if text in str(list(model.objects.values()))}


def test_a_worker_id_is_stored_in_one_table_only(paid):
    assert tables_with(WORKER) == {"Worker"}


def test_a_worker_id_is_in_no_export_log_or_other_page(client, hit, caplog, study):
    caplog.set_level(logging.DEBUG)
    query = f"hitId={hit.hit_id}&assignmentId={SUBMISSION}&workerId={WORKER}"
    agree(client, f"{reverse('annotate:enter', args=[hit.reservation.token])}?{query}")
    visit = Visit.objects.get()
    seen = [client.get(page("next", visit.assignment), follow=True).content.decode()]
    hand_in(visit)
    reviewer = User.objects.create_user("rena")
    Membership.objects.create(study=study, user=reviewer, role="researcher")
    client.force_login(reviewer)
    for name in ("overview", "collection", "recruitment", "annotators", "log", "results"):
        answer = client.get(reverse(f"console:{name}", args=[study.slug]))
        assert answer.status_code in (200, 302), name
        seen.append(answer.content.decode())
    seen += ["".join(stream_responses(study)), str(list(AuditEntry.objects.values())), caplog.text]

    assert not [text for text in seen if WORKER in text]


def test_dropping_deletes_ids_and_submissions_and_still_recognizes_workers(paid, study, hit):
    set_retention(study, 0)
    drop_due(study)
    drop_due(study)

    assert (tables_with(WORKER), tables_with(SUBMISSION)) == (set(), set())
    assert Worker.objects.get().is_digest
    assert find_annotators(study, "simulator", WORKER).exists()
    assert come(hit) == paid.assignment
    assert Visit.objects.count() == 1
    assert Payment.objects.rewards().get().submission == Visit.objects.get().submission


@pytest.mark.every_database
def test_erasing_a_worker_deletes_their_id_everywhere(paid):
    erase_annotator(paid.assignment.annotator, "asked to")

    assert (tables_with(WORKER), tables_with(SUBMISSION)) == (set(), set())


@pytest.mark.every_database
def test_a_worker_who_never_came_is_dropped_after_the_study_is_settled(hit, study):
    report = Report(submission="3NEVER", worker_id=OTHER, state="submitted")
    reconcile(hit.batch.entrance, report, hit.reservation)
    set_retention(study, 30)
    settle_study(study, is_settled=True)
    assert drop_due(study).strangers == []
    Study.objects.update(settled_at=F("settled_at") - timedelta(days=31))

    assert len(drop_due(study).strangers) == 1

    assert (tables_with(OTHER), tables_with("3NEVER")) == (set(), set())
    details: Any = AuditEntry.objects.get(action="personal_data.dropped").details
    assert details["strangers"] == 1


def test_subject_access_contains_payments_and_qualifications(paid):
    data = json.loads(export_annotator_data(paid.assignment.annotator))

    assert [(one["kind"], one["state"]) for one in data["payments"]] == [
        ("reward", "paid"), ("bonus", "unknown"),
    ]  # fmt: skip
    assert data["qualifications"][0]["qualification__name"] == "had block 1"
    assert data["known_as"]["visits"][0]["standing"] == "settled"
    assert data["known_as"]["provider_id"] == WORKER
