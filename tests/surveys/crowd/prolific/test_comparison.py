"""Prolific's export, compared with the study before it is stored."""

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from surveys.crowd.models import Payment
from surveys.crowd.prolific.comparison import compare_export
from surveys.crowd.prolific.export import read_export
from surveys.models import Assignment, Place, Visit, Worker
from surveys.participation.assignments import begin_assignment
from surveys.recruitment.links import open_entrance
from tests.factories.newcomers import CODES, arrive
from tests.factories.studies import finish, make_study
from tests.surveys.crowd.test_reconciling import export, row

pytestmark = [pytest.mark.django_db, pytest.mark.every_database]
TABLES = (Visit, Payment, Assignment, Place, Worker)


def rows_of_tables():
    return [list(table.objects.order_by("pk").values()) for table in TABLES]


@pytest.fixture
def visited_entrance():
    entrance = open_entrance(make_study(2, ratings_per_context=4), "prolific", **CODES)
    for person in ("w1", "w2", "w3", "w7"):
        finish(begin_assignment(arrive(entrance, person, f"s-{person}")))
    for person in ("w4", "w5"):
        arrive(entrance, person, f"s-{person}")
    return entrance


EXPORT = export(
    row("s-w1", "w1", "AWAITING REVIEW"), row("s-w2", "w2", "APPROVED"),
    row("s-w3", "w3", "TIMED OUT", ""), row("s-w4", "w4", "AWAITING REVIEW"),
    row("s-w5", "w5", "RETURNED", ""), row("s-w6", "w6", "RETURNED", ""),
    row("s-w8", "w8", "AWAITING REVIEW"),
)  # fmt: skip


def test_an_export_is_compared_and_nothing_is_stored(visited_entrance):
    before = rows_of_tables()

    found = compare_export(visited_entrance, read_export(EXPORT))

    assert [(one.worker_id, one.state, one.to_do) for one in found.submissions] == [
        ("w1", "submitted", "approve"),
        ("w2", "submitted", "nothing"),
        ("w3", "submitted", "pay otherwise"),
        ("w4", "offered", "decide"),
        ("w5", "returned", "nothing"),
        ("w6", "", "nothing"),
        ("w8", "", "decide"),
    ]
    assert found.count() == {"approve": 1, "decide": 2, "pay otherwise": 1, "nothing": 3}
    seventh = Visit.objects.get(worker__worker_id="w7").assignment.annotator.code
    assert found.missing == [seventh]
    assert rows_of_tables() == before


@pytest.mark.usefixtures("kept_contexts")
def test_the_page_compares_and_stores_after_confirmation(visited_entrance, admin_client):
    address = reverse("console:prolific_export", args=["study"])
    before = rows_of_tables()

    answer = admin_client.post(address, {"file": SimpleUploadedFile("e.csv", EXPORT.encode())})

    text = " ".join(answer.content.decode().split())
    assert answer.status_code == 200
    assert "Nothing has been stored yet.</strong> 7 submissions on Prolific" in text
    assert "s-w1" in text
    assert rows_of_tables() == before

    stored = admin_client.post(address, {"kept": answer.context["form"].text})

    assert (stored.status_code, stored.url) == (302, reverse("console:prolific", args=["study"]))
    assert Visit.objects.get(worker__worker_id="w1").standing == "payable"
    assert Visit.objects.get(worker__worker_id="w5").standing == "expired"


def test_the_page_refuses_what_is_no_export(visited_entrance, admin_client):
    address = reverse("console:prolific_export", args=["study"])

    for sent in ({}, {"kept": "a,b"}, {"file": SimpleUploadedFile("e.csv", b"\xff")}):
        assert admin_client.post(address, sent).status_code == 422
