"""Changes that fall due as time passes."""

from mturk_simulator.market.store import Moment
from mturk_simulator.operations.decisions import settle_payment

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
