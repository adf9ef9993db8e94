"""The market: one state, one request at a time, with the simulator's own clock."""

import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from mturk_simulator.market import accounts, people
from mturk_simulator.market.store import Fields, Moment, Store
from mturk_simulator.operations import (
    applications,
    changes,
    decisions,
    qualifications,
    tasks,
)
from mturk_simulator.operations.decisions import settle_payment
from mturk_simulator.refusals import NotSimulated, Refused

Operation = Callable[[Moment, str, Fields], Fields]
OPERATIONS: dict[str, Operation] = {
    "AcceptQualificationRequest": applications.accept_qualification_request,
    "ApproveAssignment": decisions.approve_assignment,
    "AssociateQualificationWithWorker": qualifications.associate_qualification,
    "CreateAdditionalAssignmentsForHIT": changes.create_additional_assignments,
    "CreateHIT": tasks.create_hit,
    "CreateHITType": tasks.create_hit_type,
    "CreateHITWithHITType": tasks.create_hit_with_hit_type,
    "CreateQualificationType": qualifications.create_qualification_type,
    "CreateWorkerBlock": people.create_worker_block,
    "DeleteHIT": changes.delete_hit,
    "DeleteQualificationType": qualifications.delete_qualification_type,
    "DeleteWorkerBlock": people.delete_worker_block,
    "DisassociateQualificationFromWorker": qualifications.disassociate_qualification,
    "GetAccountBalance": accounts.get_account_balance,
    "GetAssignment": decisions.get_assignment,
    "GetHIT": changes.get_hit,
    "GetQualificationScore": qualifications.get_qualification_score,
    "GetQualificationType": qualifications.get_qualification_type,
    "ListAssignmentsForHIT": decisions.list_assignments_for_hit,
    "ListBonusPayments": decisions.list_bonus_payments,
    "ListHITs": changes.list_hits,
    "ListHITsForQualificationType": changes.list_hits_for_qualification_type,
    "ListQualificationRequests": applications.list_qualification_requests,
    "ListQualificationTypes": qualifications.list_qualification_types,
    "ListReviewableHITs": changes.list_reviewable_hits,
    "ListWorkerBlocks": people.list_worker_blocks,
    "ListWorkersWithQualificationType": qualifications.list_workers_with_qualification_type,
    "NotifyWorkers": people.notify_workers,
    "RejectAssignment": decisions.reject_assignment,
    "RejectQualificationRequest": applications.reject_qualification_request,
    "SendBonus": decisions.send_bonus,
    "SendTestEventNotification": people.send_test_event_notification,
    "UpdateExpirationForHIT": changes.update_expiration,
    "UpdateHITReviewStatus": changes.update_review_status,
    "UpdateHITTypeOfHIT": changes.update_hit_type,
    "UpdateNotificationSettings": people.update_notification_settings,
    "UpdateQualificationType": qualifications.update_qualification_type,
}
ADVANCED = "clock_advanced_seconds"
STOPPED = "clock_stopped_at"


class Market:
    """The state of the simulator. Its clock is real time plus what `advance` adds."""

    def __init__(self, store: Store, clock: Callable[[], float] = time.time) -> None:
        self._store, self._clock = store, clock
        self._lock = threading.RLock()

    @contextmanager
    def moment(self) -> Iterator[Moment]:
        """Yield the state for one request: exclusively, and rolled back after an error."""
        with self._lock, self._store.transaction():
            moment = Moment(self._store, self._read_clock())
            apply_due_changes(moment)
            yield moment

    def _read_clock(self) -> float:
        stopped_at = self._store.setting(STOPPED, None)
        now = self._clock() if stopped_at is None else stopped_at
        return float(now + self._store.setting(ADVANCED, 0))

    def call(self, requester: str, operation: str, arguments: Fields) -> Fields:
        """Return the answer of an operation. Raises a Refusal, and then nothing has changed."""
        if operation not in OPERATIONS:
            raise NotSimulated(f"{operation} is not simulated.", "NotSimulated")
        with self.moment() as moment:
            accounts.open_account(moment, requester)
            try:
                return OPERATIONS[operation](moment, requester, arguments)
            except Refused as refusal:
                refusal.message += f" ({int(moment.now * 1000)} s)"
                raise

    def advance(self, seconds: float) -> None:
        """Advance the clock and apply what falls due."""
        with self.moment() as moment:
            moment.store.set(ADVANCED, moment.store.setting(ADVANCED, 0) + seconds)
            apply_due_changes(Moment(self._store, moment.now + seconds))

    def stop_clock(self) -> None:
        """Stop the clock; `advance` still moves it."""
        with self._lock, self._store.transaction():
            if self._store.setting(STOPPED, None) is None:
                self._store.set(STOPPED, self._clock())

    def start_clock(self) -> None:
        with self._lock, self._store.transaction():
            self._store.set(STOPPED, None)

    def snapshot(self) -> dict[str, list[dict[str, Any]]]:
        with self.moment() as moment:
            return moment.store.snapshot()

    def restore(self, snapshot: Mapping[str, Any]) -> None:
        """Restore a snapshot. Raises InvalidSnapshot, and then nothing has changed."""
        with self._lock, self._store.transaction():
            self._store.restore(snapshot)

    def close(self) -> None:
        with self._lock:
            self._store.close()


UNUSED_SECONDS = 120 * 24 * 3600


def apply_due_changes(moment: Moment) -> None:
    """Abandon late assignments, approve undecided assignments when due, dispose of old HITs."""
    moment.store.write(
        "UPDATE assignment SET state = 'abandoned' WHERE state = 'accepted' AND deadline_at <= ?",
        moment.now,
    )
    due = moment.store.rows(
        "SELECT * FROM assignment_of_hit WHERE state = 'submitted' AND auto_approval_at <= ?"
        " ORDER BY auto_approval_at",
        moment.now,
    )
    for assignment in due:
        settle_payment(moment, assignment, assignment["auto_approval_at"])
    moment.store.write(
        "UPDATE hit SET stage = 'disposed' WHERE stage != 'disposed' AND expires_at <= ?"
        " AND NOT EXISTS (SELECT 1 FROM assignment WHERE assignment.hit_id = hit.hit_id"
        " AND state IN ('accepted', 'submitted'))",
        moment.now - UNUSED_SECONDS,
    )
