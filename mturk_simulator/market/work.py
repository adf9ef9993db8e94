"""Actions of workers: find, preview, accept, return and submit a task."""

import json
import sqlite3
from collections.abc import Iterable
from typing import Any

from mturk_simulator.market.people import find_worker, is_blocked
from mturk_simulator.market.store import Moment, make_id
from mturk_simulator.operations.questions import NO_ASSIGNMENT, RESERVED, write_answer
from mturk_simulator.operations.requirements import Requirement, lacking
from mturk_simulator.refusals import PageRefused

REUSE = "reuse_ids"
MAX_AT_ONCE = 25
OPEN_HITS = (
    "SELECT * FROM hit_with_places WHERE stage != 'disposed' AND expires_at > ?"
    " AND n_available > 0 AND NOT EXISTS (SELECT 1 FROM assignment WHERE"
    " assignment.hit_id = hit_with_places.hit_id AND worker_id = ?"
    " AND state NOT IN ('returned', 'abandoned'))"
)


def get_worker(moment: Moment, worker_id: str) -> sqlite3.Row:
    """Return the worker with an id. Raises PageRefused."""
    if worker := find_worker(moment, worker_id):
        return worker
    raise PageRefused(f"There is no worker {worker_id}.", status=404)


def list_groups(moment: Moment, worker: sqlite3.Row) -> list[dict[str, Any]]:
    """Return the groups of HITs that a worker may discover, with the places open to them."""
    groups: dict[str, dict[str, Any]] = {}
    statement = f"{OPEN_HITS} ORDER BY serial"
    for hit in moment.store.rows(statement, moment.now, worker["worker_id"]):
        group_id = hit["group_id"]
        if group_id not in groups:
            groups[group_id] = describe_group(moment, worker, hit)
        groups[group_id]["n_hits"] += 1
        groups[group_id]["n_places"] += hit["n_available"]
    return [group for group in groups.values() if group["is_visible"]]


def describe_group(moment: Moment, worker: sqlite3.Row, hit: sqlite3.Row) -> dict[str, Any]:
    """Return a group as a worker sees it, with the permitted actions; the caller counts places."""
    content = json.loads(hit["content"])
    is_shut_out = is_blocked(moment, hit["requester"], worker["worker_id"])
    return {
        "id": hit["group_id"],
        "requester": hit["requester"],
        "title": content["Title"],
        "description": content["Description"],
        "reward_cents": hit["reward_cents"],
        "seconds": content["AssignmentDurationInSeconds"],
        "n_hits": 0,
        "n_places": 0,
        "is_visible": not is_shut_out and not _lacks(moment, worker, hit, "discover"),
        "may_preview": not _lacks(moment, worker, hit, "preview"),
        "may_accept": not _lacks(moment, worker, hit, "accept"),
    }


def _lacks(moment: Moment, worker: sqlite3.Row, hit: sqlite3.Row, action: str) -> list[Requirement]:
    requirements = json.loads(hit["content"]).get("QualificationRequirements", [])
    return lacking(moment, worker, requirements, action)


def choose_hit(moment: Moment, worker: sqlite3.Row, group_id: str, *, action: str) -> sqlite3.Row:
    """Return the first HIT of a group that is open to a worker. Raises PageRefused."""
    statement = f"{OPEN_HITS} AND group_id = ? ORDER BY serial LIMIT 1"
    hit = moment.store.row(statement, moment.now, worker["worker_id"], group_id)
    if hit is None:
        raise PageRefused("There are no more of these HITs for you.", status=404)
    if is_blocked(moment, hit["requester"], worker["worker_id"]):
        raise PageRefused("This requester has blocked you.", status=403)
    if missing := _lacks(moment, worker, hit, action):
        names = ", ".join(requirement["QualificationTypeId"] for requirement in missing)
        raise PageRefused(f"You do not have the qualifications for this HIT: {names}.", status=403)
    return hit


def accept_hit(moment: Moment, worker: sqlite3.Row, group_id: str) -> str:
    """Accept a HIT for a worker; return the MTurk assignment id. Raises PageRefused."""
    hit = choose_hit(moment, worker, group_id, action="accept")
    held = "SELECT count(*) FROM assignment WHERE worker_id = ? AND state = 'accepted'"
    if moment.store.number(held, worker["worker_id"]) >= MAX_AT_ONCE:
        raise PageRefused(f"You cannot hold more than {MAX_AT_ONCE} HITs at once.")
    assignment_id = _free_id(moment, hit["hit_id"])
    duration = json.loads(hit["content"])["AssignmentDurationInSeconds"]
    moment.store.insert(
        "assignment",
        mturk_assignment_id=assignment_id,
        hit_id=hit["hit_id"],
        worker_id=worker["worker_id"],
        state="accepted",
        reward_cents=hit["reward_cents"],
        fee_cents=hit["fee_cents"],
        accepted_at=moment.now,
        deadline_at=moment.now + duration,
    )
    return assignment_id


def _free_id(moment: Moment, hit_id: str) -> str:
    """Return the id of a returned assignment of the HIT, if ids are reused, or a new id."""
    if moment.store.setting(REUSE, True):
        given_up = moment.store.row(
            "SELECT mturk_assignment_id FROM assignment WHERE hit_id = ?"
            " GROUP BY mturk_assignment_id"
            " HAVING count(*) = sum(state IN ('returned', 'abandoned'))"
            " ORDER BY max(serial) LIMIT 1",
            hit_id,
        )
        if given_up:
            return str(given_up["mturk_assignment_id"])
    return make_id()


def find_held(moment: Moment, worker: sqlite3.Row, assignment_id: str) -> sqlite3.Row:
    """Return a task that a worker has accepted and still holds. Raises PageRefused."""
    held = moment.store.row(
        "SELECT * FROM assignment_of_hit WHERE mturk_assignment_id = ? AND worker_id = ?"
        " AND state = 'accepted'",
        assignment_id, worker["worker_id"],
    )  # fmt: skip
    if held is None:
        raise PageRefused("You no longer hold this HIT.", status=404)
    return held


def return_hit(moment: Moment, worker: sqlite3.Row, assignment_id: str) -> None:
    """Return a task. Raises PageRefused."""
    held = find_held(moment, worker, assignment_id)
    moment.store.write("UPDATE assignment SET state = 'returned' WHERE serial = ?", held["serial"])


def submit(
    moment: Moment, assignment_id: str, fields: Iterable[tuple[str, str]], *, unseen_seconds: float
) -> sqlite3.Row:
    """Store a submitted form, identified by the assignment id alone.

    Raises PageRefused, and then the assignment is unchanged.
    """
    if not assignment_id:
        raise PageRefused("The form has no assignmentId.")
    if assignment_id == NO_ASSIGNMENT:
        raise PageRefused("This was a preview. Accept the HIT before you submit it.")
    answer = [(name, value) for name, value in fields if name not in RESERVED]
    if not answer:
        raise PageRefused("The form has nothing but the assignmentId: there is no answer in it.")
    assignment = moment.store.row(
        "SELECT * FROM assignment_of_hit WHERE mturk_assignment_id = ?"
        " ORDER BY serial DESC LIMIT 1",
        assignment_id,
    )
    if assignment is None:
        raise PageRefused("There is no such assignment.", status=404)
    if assignment["state"] != "accepted":
        raise PageRefused(_STATE_MESSAGES[assignment["state"]])
    delay = json.loads(assignment["content"])["AutoApprovalDelayInSeconds"]
    moment.store.write(
        "UPDATE assignment SET state = 'submitted', submitted_at = ?, seen_from = ?,"
        " auto_approval_at = ?, answer = ? WHERE serial = ?",
        moment.now, moment.now + unseen_seconds, moment.now + delay, write_answer(answer),
        assignment["serial"],
    )  # fmt: skip
    return assignment


_STATE_MESSAGES = {
    "returned": "This HIT was returned. Accept it again before you submit it.",
    "abandoned": "The time for this HIT ran out before it was submitted.",
    "submitted": "This HIT was submitted already.",
    "approved": "This HIT was submitted already.",
    "rejected": "This HIT was submitted already.",
}


def list_held(moment: Moment, worker: sqlite3.Row) -> list[sqlite3.Row]:
    """Return the tasks that a worker holds, the earliest deadline first."""
    return moment.store.rows(
        "SELECT * FROM assignment_of_hit WHERE worker_id = ? AND state = 'accepted'"
        " ORDER BY deadline_at",
        worker["worker_id"],
    )


def list_history(moment: Moment, worker: sqlite3.Row) -> list[sqlite3.Row]:
    """Return everything a worker has accepted, with bonuses, the latest first."""
    return moment.store.rows(
        "SELECT *, (SELECT coalesce(sum(amount_cents), 0) FROM bonus"
        " WHERE bonus.mturk_assignment_id = held.mturk_assignment_id"
        " AND bonus.worker_id = held.worker_id AND submitted_at IS NOT NULL) AS bonus_cents"
        " FROM assignment_of_hit AS held WHERE worker_id = ? ORDER BY serial DESC",
        worker["worker_id"],
    )
