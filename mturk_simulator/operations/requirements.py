"""Qualification requirements of a task, and the check of a worker's qualifications."""

import operator
import sqlite3
from collections.abc import Callable
from typing import Any

from mturk_simulator.market.store import Moment
from mturk_simulator.refusals import invalid_parameter

APPROVAL_RATE = "000000000000000000L0"
HITS_APPROVED = "00000000000000000040"
LOCALE = "00000000000000000071"
ADULT = "00000000000000000060"
MASTERS = {"2F1QJWKUDD8XADTFD2Q0G6UTO95ALH", "2ARFPLSP75KLA8M8DH1HTEQVJT3SY6"}
SYSTEM_TYPES = {APPROVAL_RATE, HITS_APPROVED, LOCALE, ADULT} | MASTERS
FEW_ASSIGNMENTS = 100  # with fewer, the approval rate is 100
MAX_REQUIREMENTS = 10
COMPARISONS: dict[str, Callable[[int, int], bool]] = {
    "LessThan": operator.lt,
    "LessThanOrEqualTo": operator.le,
    "GreaterThan": operator.gt,
    "GreaterThanOrEqualTo": operator.ge,
    "EqualTo": operator.eq,
    "NotEqualTo": operator.ne,
}
GUARDED = {
    "Accept": {"accept"},
    "PreviewAndAccept": {"preview", "accept"},
    "DiscoverPreviewAndAccept": {"discover", "preview", "accept"},
}
Requirement = dict[str, Any]


def check_requirements(moment: Moment, requester: str, requirements: list[Requirement]) -> None:
    """Raise Refused for requirements that cannot be checked."""
    if len(requirements) > MAX_REQUIREMENTS:
        raise invalid_parameter(f"There are more than {MAX_REQUIREMENTS} requirements.")
    for requirement in requirements:
        if (type_id := requirement["QualificationTypeId"]) not in SYSTEM_TYPES:
            read_type(moment, requester, type_id)
        _check_values(requirement)


def read_type(moment: Moment, requester: str, type_id: str) -> sqlite3.Row:
    """Return a requester's own qualification type. Raises Refused."""
    return moment.read(
        "QualificationType",
        "SELECT * FROM qualification_type WHERE qualification_type_id = ? AND requester = ?"
        " AND deleted_at IS NULL",
        type_id, requester,
    )  # fmt: skip


def _check_values(requirement: Requirement) -> None:
    type_id, comparator = requirement["QualificationTypeId"], requirement["Comparator"]
    used, other = "IntegerValues", "LocaleValues"
    if type_id == LOCALE:
        used, other = other, used
    values = requirement.get(used, [])
    if requirement.get(other):
        raise invalid_parameter(f"{other} are not for qualification {type_id}.")
    if comparator in {"Exists", "DoesNotExist"}:
        is_sound = not values
    elif comparator in {"In", "NotIn"}:
        is_sound = bool(values)
    else:
        is_sound = len(values) == 1
    if type_id == LOCALE and comparator not in {"EqualTo", "NotEqualTo", "In", "NotIn"}:
        is_sound = False
    if not is_sound:
        raise invalid_parameter(f"{comparator} of {type_id} does not go with these {used}.")


def lacking(
    moment: Moment, worker: sqlite3.Row, requirements: list[Requirement], action: str
) -> list[Requirement]:
    """Return the requirements a worker does not meet to discover, preview or accept a task."""
    return [
        requirement
        for requirement in requirements
        if action in _guarded(requirement) and not _is_met(moment, worker, requirement)
    ]


def _guarded(requirement: Requirement) -> set[str]:
    usual = "PreviewAndAccept" if requirement.get("RequiredToPreview") else "Accept"
    return GUARDED[requirement.get("ActionsGuarded", usual)]


def _is_met(moment: Moment, worker: sqlite3.Row, requirement: Requirement) -> bool:
    type_id, comparator = requirement["QualificationTypeId"], str(requirement["Comparator"])
    if type_id == LOCALE:
        lives_there = any(_lives_in(worker, place) for place in requirement["LocaleValues"])
        return lives_there is (comparator in {"EqualTo", "In"})
    score = find_score(moment, worker, type_id)
    if comparator in {"Exists", "DoesNotExist"}:
        return (score is not None) is (comparator == "Exists")
    if score is None:
        return False
    values: list[int] = requirement["IntegerValues"]
    if comparator in {"In", "NotIn"}:
        return (score in values) == (comparator == "In")
    return COMPARISONS[comparator](score, values[0])


def _lives_in(worker: sqlite3.Row, place: dict[str, str]) -> bool:
    subdivision = place.get("Subdivision", worker["subdivision"])
    return (worker["country"], worker["subdivision"]) == (place["Country"], subdivision)


def find_score(moment: Moment, worker: sqlite3.Row, type_id: str) -> int | None:
    """Return the score of a worker's qualification, or None."""
    if type_id in SYSTEM_TYPES:
        return _find_system_score(moment, worker, type_id)
    row = moment.store.row(
        "SELECT score FROM qualification JOIN qualification_type USING (qualification_type_id)"
        " WHERE qualification_type_id = ? AND worker_id = ? AND status = 'Granted'"
        " AND deleted_at IS NULL",
        type_id, worker["worker_id"],
    )  # fmt: skip
    return int(row["score"]) if row else None


def _find_system_score(moment: Moment, worker: sqlite3.Row, type_id: str) -> int | None:
    if type_id == ADULT:
        return 1 if worker["is_adult"] else 0
    if type_id in MASTERS:
        return 1 if worker["is_master"] else None
    decided = "SELECT count(*) FROM assignment WHERE worker_id = ? AND state = ?"
    worker_id = worker["worker_id"]
    n_approved = worker["n_approved"] + moment.store.number(decided, worker_id, "approved")
    if type_id == HITS_APPROVED:
        return int(n_approved)
    n_rejected = worker["n_rejected"] + moment.store.number(decided, worker_id, "rejected")
    n_decided = n_approved + n_rejected
    return 100 if n_decided < FEW_ASSIGNMENTS else int(100 * n_approved // n_decided)
