"""What happens by itself as time passes."""

from surveys.rehearsal.simulator.decisions import settle_payment
from surveys.rehearsal.simulator.store import Moment

UNUSED_SECONDS = 120 * 24 * 3600


def let_time_pass(moment: Moment) -> None:
    """Abandon what is past its deadline, approve what nobody decided, drop what nobody uses."""
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
