"""Operations on existing HITs: read, list, extend, expire, review, delete."""

from mturk_simulator.market.accounts import refuse_overdraft
from mturk_simulator.market.money import MANY_PLACES
from mturk_simulator.market.store import Fields, Moment, read_instant
from mturk_simulator.operations.paging import read_page
from mturk_simulator.operations.tasks import (
    YEAR,
    describe_hit,
    find_status,
    place_costs,
    read_hit,
    read_hit_type,
)
from mturk_simulator.refusals import Refused, invalid_parameter


def get_hit(moment: Moment, requester: str, arguments: Fields) -> Fields:
    return {"HIT": describe_hit(moment, read_hit(moment, requester, arguments["HITId"]))}


def list_hits(moment: Moment, requester: str, arguments: Fields) -> Fields:
    """Return all HITs that are not deleted."""
    rows, paging = read_page(
        moment, "ListHITs", arguments,
        "SELECT * FROM hit_with_places WHERE requester = ? AND stage != 'disposed'", requester,
    )  # fmt: skip
    return {"HITs": [describe_hit(moment, row) for row in rows], **paging}


def list_reviewable_hits(moment: Moment, requester: str, arguments: Fields) -> Fields:
    """Return HITs whose work is done, of one status and optionally one type."""
    is_under_review = arguments.get("Status", "Reviewable") == "Reviewing"
    hit_type_id = arguments.get("HITTypeId")
    rows, paging = read_page(
        moment, "ListReviewableHITs", arguments,
        "SELECT * FROM hit_with_places WHERE requester = ? AND stage = ?"
        " AND (? IS NULL OR hit_type_id = ?)"
        " AND n_pending = 0 AND (n_available <= 0 OR expires_at <= ?)",
        requester, "reviewing" if is_under_review else "open", hit_type_id, hit_type_id, moment.now,
    )  # fmt: skip
    return {"HITs": [describe_hit(moment, row) for row in rows], **paging}


def list_hits_for_qualification_type(moment: Moment, requester: str, arguments: Fields) -> Fields:
    """Return HITs with a requirement for a qualification."""
    rows, paging = read_page(
        moment, "ListHITsForQualificationType", arguments,
        "SELECT * FROM hit_with_places WHERE requester = ? AND stage != 'disposed'"
        " AND EXISTS (SELECT 1 FROM json_each(content, '$.QualificationRequirements')"
        " WHERE json_extract(value, '$.QualificationTypeId') = ?)",
        requester, arguments["QualificationTypeId"],
    )  # fmt: skip
    return {"HITs": [describe_hit(moment, row) for row in rows], **paging}


def create_additional_assignments(moment: Moment, requester: str, arguments: Fields) -> Fields:
    """Add places; not across the number from which places cost more."""
    token = arguments.get("UniqueRequestToken")
    moment.refuse_used(requester, "CreateAdditionalAssignmentsForHIT", token)
    hit = read_hit(moment, requester, arguments["HITId"])
    added = arguments["NumberOfAdditionalAssignments"]
    if added < 1:
        raise invalid_parameter("NumberOfAdditionalAssignments is less than 1.")
    if hit["stage"] == "disposed":
        raise _wrong_state("Assignable, Unassignable, Reviewable or Reviewing", "Disposed")
    if hit["n_places"] < MANY_PLACES <= hit["n_places"] + added:
        raise Refused(
            f"A HIT made with fewer than {MANY_PLACES} places cannot be given"
            f" {MANY_PLACES} or more.",
            "InvalidMaximumAssignmentsIncrease",
        )
    moment.store.write(
        "UPDATE hit SET n_places = n_places + ?, stage = 'open' WHERE hit_id = ?",
        added, hit["hit_id"],
    )  # fmt: skip
    refuse_overdraft(moment, requester)
    moment.use(requester, "CreateAdditionalAssignmentsForHIT", token)
    return {}


def update_expiration(moment: Moment, requester: str, arguments: Fields) -> Fields:
    """Expire a HIT or extend it; the same change a second time is refused."""
    hit = read_hit(moment, requester, arguments["HITId"])
    if hit["stage"] == "disposed":
        raise _wrong_state("Assignable, Unassignable, Reviewable or Reviewing", "Disposed")
    expires_at = arguments["ExpireAt"].timestamp()
    if expires_at > moment.now + YEAR:
        raise invalid_parameter("ExpireAt is more than 365 days away.")
    token = f"{hit['hit_id']}{read_instant(expires_at):%a %b %d %H:%M:%S UTC %Y}"
    moment.refuse_used(requester, "UpdateExpirationForHIT", token)
    stage = "open" if expires_at > moment.now and hit["n_available"] > 0 else hit["stage"]
    moment.store.write(
        "UPDATE hit SET expires_at = ?, stage = ? WHERE hit_id = ?",
        expires_at, stage, hit["hit_id"],
    )  # fmt: skip
    if expires_at > hit["expires_at"]:
        refuse_overdraft(moment, requester)
    moment.use(requester, "UpdateExpirationForHIT", token)
    return {}


def update_hit_type(moment: Moment, requester: str, arguments: Fields) -> Fields:
    """Change the type of a HIT; accepted assignments keep their reward."""
    hit = read_hit(moment, requester, arguments["HITId"])
    hit_type = read_hit_type(moment, requester, arguments["HITTypeId"])
    if hit["stage"] == "disposed":
        raise _wrong_state("Assignable, Unassignable, Reviewable or Reviewing", "Disposed")
    costs = place_costs(hit_type, hit["n_places"])
    moment.store.write(
        "UPDATE hit SET hit_type_id = ?, reward_cents = ?, fee_cents = ? WHERE hit_id = ?",
        hit_type["hit_type_id"], costs["reward_cents"], costs["fee_cents"], hit["hit_id"],
    )  # fmt: skip
    refuse_overdraft(moment, requester)
    return {}


def update_review_status(moment: Moment, requester: str, arguments: Fields) -> Fields:
    """Change a HIT from Reviewable to Reviewing, or back."""
    hit = read_hit(moment, requester, arguments["HITId"])
    before, after = ("Reviewable", "reviewing")
    if arguments.get("Revert"):
        before, after = ("Reviewing", "open")
    if (status := find_status(moment, hit)) != before:
        raise _wrong_state(before, status)
    moment.store.write("UPDATE hit SET stage = ? WHERE hit_id = ?", after, hit["hit_id"])
    return {}


def delete_hit(moment: Moment, requester: str, arguments: Fields) -> Fields:
    """Dispose of a HIT without work in progress or submissions to decide."""
    hit = read_hit(moment, requester, arguments["HITId"])
    status = find_status(moment, hit)
    if status not in {"Reviewable", "Reviewing"}:
        raise _wrong_state("Reviewable or Reviewing", status)
    n_undecided = moment.store.number(
        "SELECT count(*) FROM assignment WHERE hit_id = ? AND state = 'submitted'", hit["hit_id"]
    )
    if n_undecided:
        raise Refused(
            f"HIT {hit['hit_id']} has {n_undecided} submitted assignments without a decision.",
            "InvalidHITState",
        )
    moment.store.write("UPDATE hit SET stage = 'disposed' WHERE hit_id = ?", hit["hit_id"])
    return {}


def _wrong_state(needed: str, state: str) -> Refused:
    return Refused(f"This can be done to a HIT that is {needed}, not {state}.", "InvalidHITState")
