"""Creation and description of HIT types and HITs."""

import json
import sqlite3

from mturk_simulator.market.accounts import refuse_overdraft
from mturk_simulator.market.money import read_cents, reward_fee_cents, write_dollars
from mturk_simulator.market.store import Fields, Moment, make_id, read_instant
from mturk_simulator.operations.questions import read_question
from mturk_simulator.operations.requirements import MASTERS, check_requirements
from mturk_simulator.refusals import NotSimulated, Refused, invalid_parameter

DAY = 24 * 3600
YEAR = 365 * DAY
USUAL_AUTO_APPROVAL = 30 * DAY
LONGEST_TEXTS = {"Title": 128, "Description": 2_000, "Keywords": 1_000, "RequesterAnnotation": 255}
RANGES = {
    "AssignmentDurationInSeconds": (30, YEAR),
    "LifetimeInSeconds": (30, YEAR),
    "AutoApprovalDelayInSeconds": (0, 30 * DAY),
    "MaxAssignments": (1, 1_000_000_000),
}
TYPE_NAMES = (
    "AutoApprovalDelayInSeconds", "AssignmentDurationInSeconds", "Reward", "Title", "Keywords",
    "Description", "QualificationRequirements",
)  # fmt: skip
NOT_SIMULATED = (
    "AssignmentReviewPolicy", "HITReviewPolicy", "HITLayoutId", "HITLayoutParameters",
)  # fmt: skip


def create_hit_type(moment: Moment, requester: str, arguments: Fields) -> Fields:
    """Return the HIT type with these values: an existing one, or a new one."""
    _check_values(arguments)
    requirements = arguments.get("QualificationRequirements", [])
    check_requirements(moment, requester, requirements)
    values = {name: arguments[name] for name in TYPE_NAMES if name in arguments}
    values["Reward"] = write_dollars(read_cents(values["Reward"]))
    values.setdefault("AutoApprovalDelayInSeconds", USUAL_AUTO_APPROVAL)
    content = json.dumps(values, sort_keys=True)
    existing = moment.store.row(
        "SELECT hit_type_id FROM hit_type WHERE requester = ? AND content = ?", requester, content
    )
    if existing:
        return {"HITTypeId": existing["hit_type_id"]}
    hit_type_id = make_id()
    moment.store.insert(
        "hit_type",
        hit_type_id=hit_type_id,
        group_id=make_id(),
        requester=requester,
        content=content,
    )
    return {"HITTypeId": hit_type_id}


def _check_values(arguments: Fields) -> None:
    for name in NOT_SIMULATED:
        if name in arguments:
            raise NotSimulated(f"{name} is not simulated.")
    for name, (least, most) in RANGES.items():
        if name in arguments and not least <= arguments[name] <= most:
            raise invalid_parameter(f"{name} is not between {least} and {most}.")
    for name, longest in LONGEST_TEXTS.items():
        if len(arguments.get(name, "")) > longest:
            raise invalid_parameter(f"{name} is longer than {longest} characters.")
    for name in ("Title", "Description"):
        if name in arguments and not arguments[name].strip():
            raise invalid_parameter(f"{name} is empty.")


def create_hit(moment: Moment, requester: str, arguments: Fields) -> Fields:
    """Create a HIT and the HIT type of its values."""
    _refuse_second(moment, requester, "CreateHIT", arguments)
    made = create_hit_type(moment, requester, arguments)
    return _create(moment, requester, "CreateHIT", {**arguments, **made})


def create_hit_with_hit_type(moment: Moment, requester: str, arguments: Fields) -> Fields:
    _refuse_second(moment, requester, "CreateHITWithHITType", arguments)
    return _create(moment, requester, "CreateHITWithHITType", arguments)


def _refuse_second(moment: Moment, requester: str, operation: str, arguments: Fields) -> None:
    """Raise Refused, naming the HIT, for a token that has created one."""
    token = arguments.get("UniqueRequestToken", "")
    if hit_id := moment.made_with(requester, operation, token):
        raise Refused(
            f"A HIT was made with this UniqueRequestToken before: HIT {hit_id}", "HitAlreadyExists"
        )


def _create(moment: Moment, requester: str, operation: str, arguments: Fields) -> Fields:
    _check_values(arguments)
    if "Question" not in arguments:
        raise invalid_parameter("Question is missing.")
    read_question(arguments["Question"])
    hit_type = read_hit_type(moment, requester, arguments["HITTypeId"])
    n_places = arguments.get("MaxAssignments", 1)
    hit_id = make_id()
    moment.store.insert(
        "hit",
        hit_id=hit_id,
        hit_type_id=hit_type["hit_type_id"],
        requester=requester,
        question=arguments["Question"],
        annotation=arguments.get("RequesterAnnotation"),
        n_places=n_places,
        created_at=moment.now,
        expires_at=moment.now + arguments["LifetimeInSeconds"],
        **place_costs(hit_type, n_places),
    )
    refuse_overdraft(moment, requester)
    moment.use(requester, operation, arguments.get("UniqueRequestToken"), hit_id)
    return {"HIT": describe_hit(moment, read_hit(moment, requester, hit_id))}


def place_costs(hit_type: sqlite3.Row, n_places: int) -> dict[str, int]:
    """Return reward and fee of each place of a HIT."""
    content = json.loads(hit_type["content"])
    reward = read_cents(content["Reward"])
    named = {
        required["QualificationTypeId"] for required in content.get("QualificationRequirements", [])
    }
    fee = reward_fee_cents(reward, n_places=n_places, is_for_masters=bool(named & MASTERS))
    return {"reward_cents": reward, "fee_cents": fee}


def read_hit_type(moment: Moment, requester: str, hit_type_id: str) -> sqlite3.Row:
    """Return a requester's own HIT type. Raises Refused."""
    statement = "SELECT * FROM hit_type WHERE hit_type_id = ? AND requester = ?"
    return moment.read("HITType", statement, hit_type_id, requester)


def read_hit(moment: Moment, requester: str, hit_id: str) -> sqlite3.Row:
    """Return a requester's own HIT with its places. Raises Refused."""
    statement = "SELECT * FROM hit_with_places WHERE hit_id = ? AND requester = ?"
    return moment.read("HIT", statement, hit_id, requester)


def find_status(moment: Moment, hit: sqlite3.Row) -> str:
    """Return a HIT's status, derived from its places, expiration and review."""
    if hit["stage"] == "disposed":
        return "Disposed"
    is_open = hit["n_available"] > 0 and hit["expires_at"] > moment.now
    if is_open:
        return "Assignable"
    if hit["n_pending"]:
        return "Unassignable"
    return "Reviewing" if hit["stage"] == "reviewing" else "Reviewable"


def describe_hit(moment: Moment, hit: sqlite3.Row) -> Fields:
    """Return a HIT in the model's format."""
    described = {
        "HITId": hit["hit_id"],
        "HITTypeId": hit["hit_type_id"],
        "HITGroupId": hit["group_id"],
        "CreationTime": read_instant(hit["created_at"]),
        "Question": hit["question"],
        "HITStatus": find_status(moment, hit),
        "MaxAssignments": hit["n_places"],
        "Expiration": read_instant(hit["expires_at"]),
        "HITReviewStatus": "MarkedForReview" if hit["stage"] == "reviewing" else "NotReviewed",
        "NumberOfAssignmentsPending": hit["n_pending"],
        "NumberOfAssignmentsAvailable": hit["n_available"],
        "NumberOfAssignmentsCompleted": hit["n_completed"],
        **json.loads(hit["content"]),
    }
    if hit["annotation"] is not None:
        described["RequesterAnnotation"] = hit["annotation"]
    return described
