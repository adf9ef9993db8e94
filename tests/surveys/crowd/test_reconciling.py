"""Reconciliation of visits with the provider's reports."""

from datetime import UTC, datetime
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from surveys.crowd.errors import ReportRefused
from surveys.crowd.ledger import begin_sending, intend_reward
from surveys.crowd.models import Payment
from surveys.crowd.prolific.export import read_export
from surveys.crowd.reconciliation import Report, reconcile, reconcile_all, reconcile_silence
from surveys.models import Assignment, Place, ProviderState, Visit, Worker
from surveys.participation.assignments import begin_assignment
from tests.factories.batches import OTHER, WORKER, come, do, hand_in
from tests.factories.newcomers import arrive as arrive_from_prolific
from tests.factories.studies import finish, stored

pytestmark = [pytest.mark.django_db, pytest.mark.study(ratings_per_context=4)]
HEADER = "Submission id,Participant id,Status,Started at,Completed at,Completion code"


def standing(visit: Visit) -> tuple[Any, ...]:
    return stored(visit, "standing", "has_wrong_code", "held_because")


# Status of a visit


def test_finished_and_handed_in_with_its_code_is_payable(hit):
    assert standing(hand_in(do(hit))) == ("payable", False, "")


@pytest.mark.parametrize("code", ["", "another"])
def test_a_wrong_or_missing_code_is_payable_and_flagged(hit, code):
    assert standing(hand_in(do(hit), code=code)) == ("payable", True, "")


def test_unfinished_work_that_is_handed_in_is_held(hit):
    come(hit)

    visit = hand_in(Visit.objects.get())

    assert standing(visit)[0] == "held"
    assert "before it was finished" in visit.held_because
    assert Assignment.objects.get().state == "offered"


@pytest.mark.parametrize(
    ("others", "why"), [(False, "never came here"), (True, "a different worker from the one")]
)
def test_work_of_an_unknown_worker_is_held(hit, others, why):
    if others:
        done = do(hit)
    report = Report(
        submission="3ASSIGNMENT1", worker_id=OTHER, state=ProviderState.SUBMITTED, code="x"
    )

    visit = reconcile(hit.batch.entrance, report, hit.reservation)
    again = reconcile(hit.batch.entrance, report, hit.reservation)

    assert visit == again
    assert (visit.assignment, visit.worker.worker_id) == (None, OTHER)
    assert standing(visit)[0] == "held"
    assert why in visit.held_because
    if others:  # whose work cannot be paid through this HIT
        assert stored(done, "standing") == ("unpaid",)


def test_approved_without_a_payment_was_paid_outside(hit):
    visit = do(hit)

    for _ in range(2):
        hand_in(visit, state="approved")

    assert standing(visit)[0] == "settled"
    assert list(Payment.objects.values_list("state", "amount_cents")) == [("outside", 50)]


def test_approved_after_sending_was_paid_by_us(hit):
    visit = hand_in(do(hit))
    begin_sending(intend_reward(visit))

    hand_in(visit, state="approved")

    assert list(Payment.objects.values_list("state", flat=True)) == ["paid"]


def test_silence_after_the_deadline_expires_what_is_unfinished_and_frees_the_place(hit):
    assignment = begin_assignment(come(hit))
    visit = Visit.objects.get()

    assert reconcile_silence(hit.reservation) == {}
    assert reconcile_silence(hit.reservation, visit.deadline_at.replace(year=2099)) == {
        "expired": 1
    }

    assert stored(assignment, "state") == ("returned",)
    assert hit.reservation.places.reserved().count() == 2
    assert stored(visit, "standing") == ("expired",)


def test_a_worker_who_comes_again_is_no_longer_expired(hit):
    come(hit)
    visit = Visit.objects.get()
    later = visit.deadline_at.replace(year=2099)
    reconcile_silence(hit.reservation, later)
    Visit.objects.update(deadline_at=visit.arrived_at.replace(year=2020))

    come(hit)

    assert stored(visit, "standing") == ("",)


# Prolific


def row(submission: str, person: str, status: str, code: str = "DONE1") -> str:
    return f"{submission},{person},{status},2026-11-01T10:00:00Z,2026-11-01 10:20:00,{code}"


def export(*rows: str, header: str = HEADER) -> str:
    return "\n".join([header, *rows, ""])


def visit_of(person: str) -> Visit:
    return Visit.objects.get(worker__worker_id=person)


def test_an_export_sets_the_status_of_each_visit(study_prolific):
    for person in ("w1", "w2"):
        finish(begin_assignment(arrive_from_prolific(study_prolific, person, f"s-{person}")))
    for person in ("w3", "w4", "w5"):
        arrive_from_prolific(study_prolific, person, f"s-{person}")
    text = export(
        row("s-w1", "w1", "AWAITING REVIEW"), row("s-w2", "w2", "APPROVED", "NOCODE"),
        row("s-w3", "w3", "AWAITING REVIEW"), row("s-w4", "w4", "RETURNED", ""),
        row("s-w5", "w5", "ACTIVE", ""), row("s-w6", "w6", "TIMED-OUT", ""),
    )  # fmt: skip

    counts = reconcile_all(study_prolific, read_export(text))

    assert counts == {"payable": 1, "settled": 1, "held": 1, "expired": 1, "": 2}
    assert standing(visit_of("w1")) == ("payable", False, "")
    assert standing(visit_of("w2")) == ("settled", True, "")
    assert standing(visit_of("w3"))[0] == "held"
    assert visit_of("w4").assignment.state == "returned"
    assert Payment.objects.get().visit == visit_of("w2")
    assert visit_of("w1").handed_in_at == datetime(2026, 11, 1, 10, 20, tzinfo=UTC)
    assert not Worker.objects.filter(worker_id="w6").exists()
    before = [list(model.objects.values()) for model in (Visit, Payment, Assignment, Place)]
    assert reconcile_all(study_prolific, read_export(text)) == counts
    after = [list(model.objects.values()) for model in (Visit, Payment, Assignment, Place)]
    assert after == before


@pytest.mark.parametrize("status", ["RETURNED", "TIMED-OUT", "TIMED OUT", "SCREENED OUT"])
def test_a_place_that_is_given_up_is_open_again_and_finished_work_is_unpaid(study_prolific, status):
    arrive_from_prolific(study_prolific, "w1", "s1")
    finish(begin_assignment(arrive_from_prolific(study_prolific, "w2", "s2")))

    reconcile_all(
        study_prolific, read_export(export(row("s1", "w1", status), row("s2", "w2", status)))
    )

    assert (visit_of("w1").standing, visit_of("w2").standing) == ("expired", "unpaid")
    assert Place.objects.filter(assignment__isnull=False).count() == 1


@pytest.mark.every_database
def test_a_rejection_opens_the_place_and_keeps_the_answers(study_prolific):
    assignment = begin_assignment(arrive_from_prolific(study_prolific, "w1", "s1"))
    finish(assignment)

    for _ in range(2):
        reconcile_all(study_prolific, read_export(export(row("s1", "w1", "REJECTED"))))

    assert stored(assignment, "state", "is_over_quota") == ("submitted", True)
    assert not Place.objects.filter(assignment__isnull=False).exists()
    assert standing(visit_of("w1"))[0] == "settled"


def test_columns_may_be_written_in_either_way_and_in_any_order():
    header = "status,participant_id,submission_id,reviewed_at,completion_code,started_at"
    text = f"\ufeff{header},completed_at\r\nAWAITING REVIEW,p1,s1,,C1,,\r\n"

    assert read_export(text) == [
        Report(submission="s1", worker_id="p1", state=ProviderState.SUBMITTED, code="C1")
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (export(header="Submission id,Status"), "lacks these columns: Participant id, Started at"),
        ("", "lacks these columns: Submission id, Participant id"),
        (export(row("s 1", "w1", "ACTIVE")), "row 2, Submission id: is not an identifier"),
        (export(row("s1", "", "ACTIVE")), "row 2, Participant id: is not an identifier"),
        (export(row("s1", "w1", "LOST")), "row 2, Status: is not one of RESERVED, ACTIVE"),
        (export("s1,w1,ACTIVE,yesterday,,"), "row 2, Started at: is not a date and time"),
        (
            export("s1,w1,ACTIVE,,2026-02-31 10:00:00,"),
            "row 2, Completed at: is not a date and time",
        ),
        (export(row("s1", "w1", "ACTIVE"), row("s1", "w2", "ACTIVE")), "row 3, .*same as in row 2"),
        (export('"s1'), "quotation marks of a field are not closed in line 2"),
        (export(*[row("s 1", "w1", "ACTIVE")] * 30), "and 3"),
    ],
)
def test_an_export_that_cannot_be_read_is_refused_by_row_and_column(text, message):
    with pytest.raises(ReportRefused, match=message):
        read_export(text)


def test_reconcile_prolific_prints_counts_by_status(study_prolific, tmp_path, capsys):
    finish(begin_assignment(arrive_from_prolific(study_prolific, WORKER, "s1")))
    file = tmp_path / "export.csv"
    file.write_text(export(row("s1", WORKER, "AWAITING REVIEW"), row("s2", "w2", "ACTIVE")))

    call_command("reconcile_prolific", study_prolific.study.slug, str(file))

    assert capsys.readouterr().out == "2 submissions\n1: Payable\n1: nothing to do\n"


def test_reconcile_prolific_refuses_a_study_without_prolific(study, tmp_path):
    with pytest.raises(CommandError, match="has no connection to Prolific"):
        call_command("reconcile_prolific", study.slug, str(tmp_path / "none.csv"))
