"""Workers of the simulator who come to our HITs: by calling the actions, which is fast."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import parse_qsl, urlsplit
from uuid import UUID

import pytest

from mturk_simulator.client import HeldTask
from mturk_simulator.tests.stage import Stage, Worker
from surveys.crowd.models import Batch, Payment
from surveys.crowd.mturk.arrival import find_hit, read_arrival, start_in_hit
from surveys.crowd.mturk.gateway import Gateway, open_gateway
from surveys.crowd.mturk.qualifications import send_grants
from surveys.models import Assignment, Visit
from surveys.participation.assignments import begin_assignment
from surveys.recruitment.completion_codes import completion_for, latest_reserved_visit
from tests.factories.studies import finish


class Crash(BaseException):
    """A simulated crash of the process, which no code handles."""


@contextmanager
def crashing(operation: str, *, after: bool) -> Iterator[None]:
    """Crash at the first call of an operation, before or after it is performed."""
    real = Gateway.call

    def call(self: Gateway, name: str, **arguments: Any) -> dict[str, Any]:
        if name == operation and not after:
            raise Crash
        answer = real(self, name, **arguments)
        if name == operation:
            raise Crash
        return answer

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Gateway, "call", call)
        yield


def group_of(stage: Stage, batch: Batch) -> str:
    """Return the HIT group of a batch in the simulator."""
    hit = batch.hits.exclude(hit_id="").first()
    assert hit is not None
    return str(stage.client().get_hit(HITId=hit.hit_id)["HIT"]["HITGroupId"])


def arrive(held: HeldTask) -> Assignment:
    """Return the assignment that the frame of an accepted task opens."""
    address = urlsplit(held.address)
    hit = find_hit(UUID(address.path.rstrip("/").rpartition("/")[2]))
    claims = read_arrival(hit, dict(parse_qsl(address.query)))
    assignment = start_in_hit(hit, claims)
    send_grants(hit.provider)
    return assignment


def answer_all(held: HeldTask) -> Assignment:
    assignment = arrive(held)
    if assignment.submitted_at is None:
        finish(begin_assignment(assignment))
    assignment.refresh_from_db()
    return assignment


def hand_over(worker: Worker, held: HeldTask, **changed: str) -> None:
    """Submit the form of the last page."""
    assignment = answer_all(held)
    completion = completion_for(assignment, latest_reserved_visit(assignment))
    assert completion is not None
    fields = {**completion.fields, **changed}
    worker.submit(fields.pop("assignmentId"), fields)


def do_task(stage: Stage, batch: Batch, worker: Worker | None = None) -> Visit:
    """Let a worker accept, do and submit a task; return the visit."""
    worker = worker or stage.worker()
    held = worker.accept(group_of(stage, batch))
    hand_over(worker, held)
    return Visit.objects.current().get(
        submission=held.mturk_assignment_id, worker__worker_id=worker.worker_id
    )


def count_spent_there(stage: Stage) -> int:
    """Return the cents that a requester has spent in the simulator."""
    account = stage.client().get_account_balance()
    left = sum(round(float(account[name]) * 100) for name in account if name.endswith("Balance"))
    return 1_000_000 - left


def count_paid_here(batch: Batch) -> int:
    return Payment.objects.settled().filter(batch=batch).total_cents()


def list_bonuses(hit_id: str) -> list[str]:
    """Return the amounts of all bonuses paid for a HIT."""
    rows = open_gateway("simulator").read_all("list_bonus_payments", "BonusPayments", HITId=hit_id)
    return [row["BonusAmount"] for row in rows]
