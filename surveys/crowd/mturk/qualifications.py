"""Qualifications at a target: workers who had a block, workers invited to private tasks.

They only keep workers from accepting a HIT in vain; the arrival decides who gets a place.
"""

import re
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from surveys.access.audit_log import record
from surveys.crowd.errors import BatchRefused
from surveys.crowd.models import Grant, Hit, Qualification
from surveys.crowd.mturk.gateway import Gateway, open_gateway
from surveys.crowd.mturk.steps import Outcome, process_rows
from surveys.errors import GatewayDown, GatewayRefused
from surveys.jobs.queue import enqueue
from surveys.models import Entrance, Job, Provider, Study, Worker

APPROVAL_RATE = "000000000000000000L0"  # is 100 for workers with fewer than 100 assignments
N_APPROVED = "00000000000000000040"
LOCALE = "00000000000000000071"
MAX_COUNTRIES = 30  # of one requirement
COUNTRY = re.compile(r"[A-Z]{2}")
GUARDED = {"ActionsGuarded": "DiscoverPreviewAndAccept"}
MAX_REQUIREMENTS = 10
MAX_NAME_LENGTH = 200
DESCRIPTIONS = {
    "block": "Has taken part in a group of texts, which is offered to each person once.",
    "quality": "Is invited to private tasks of this study.",
    "compensation": "Has finished work that could not be paid otherwise.",
}


class Difference(NamedTuple):
    """Differences between a target and our table for one qualification."""

    qualification: Qualification
    n_missing: int  # granted here, and not there
    n_unknown: int  # granted there, and not here
    n_unequal: int  # with another value there


def quality_annotators(study: Study, target: str) -> Qualification:
    """Return the qualification of a study's private tasks."""
    return _get_or_create(study, target, f"quality annotators of {study.slug}")


def read_countries(text: str) -> list[str]:
    """Return two-letter country codes, each once. Raises BatchRefused.

    >>> read_countries("si, HR si"), read_countries("")
    (['SI', 'HR'], [])
    """
    codes = list(dict.fromkeys(re.findall(r"[^\s,;]+", text.upper())))
    if wrong := [code for code in codes if not COUNTRY.fullmatch(code)]:
        raise BatchRefused(f"“{wrong[0][:20]}” is not a country code, such as SI.")
    if len(codes) > MAX_COUNTRIES:
        raise BatchRefused(f"Name {MAX_COUNTRIES} countries at most.")
    return codes


def write_requirements(
    *,
    countries: Sequence[str] = (),
    approval_percent: int | None = None,
    n_approved: int | None = None,
    private_task: Qualification | None = None,
) -> list[dict[str, Any]]:
    """Return the qualification requirements for the conditions given."""
    rules: list[dict[str, Any]] = []
    if countries:
        places = [{"Country": code} for code in countries]
        rules.append({"QualificationTypeId": LOCALE, "Comparator": "In", "LocaleValues": places})
    for kind, least in ((APPROVAL_RATE, approval_percent), (N_APPROVED, n_approved)):
        if least is not None:
            rules.append({
                "QualificationTypeId": kind, "Comparator": "GreaterThanOrEqualTo",
                "IntegerValues": [least],
            })  # fmt: skip
    if private_task:
        kind = private_task.qualification_type_id
        rules.append({"QualificationTypeId": kind, "Comparator": "Exists"})
    return [{**requirement, **GUARDED} for requirement in rules]


def describe_requirement(requirement: dict[str, Any]) -> str:
    """Return a requirement in words.

    >>> [describe_requirement(r) for r in write_requirements(countries=["SI"], n_approved=50)]
    ['in SI', '50 approved HITs or more']
    """
    kind, numbers = requirement.get("QualificationTypeId"), requirement.get("IntegerValues")
    if kind == LOCALE:
        return "in " + ", ".join(place["Country"] for place in requirement["LocaleValues"])
    if kind == APPROVAL_RATE and numbers:
        return f"{numbers[0]} % approved or more"
    if kind == N_APPROVED and numbers:
        return f"{numbers[0]} approved HITs or more"
    return "chosen for a private task"


def list_requirements(gateway: Gateway, hit: Hit) -> list[dict[str, Any]]:
    """Return a HIT's requirements: its batch's, and not to have had its block.

    A compensation HIT requires a qualification that is granted to its one worker first. Raises
    BatchRefused.
    """
    if hit.compensates:
        if hit.compensates.worker.is_digest:
            raise BatchRefused("The id of this worker was deleted: pay them in another way.")
        private = _get_or_create(
            hit.batch.study, hit.provider, f"compensation {hit.reservation.token}"
        )
        ensure_type(gateway, private)
        grant_qualification(private, hit.compensates.worker, reason="unpaid work")
        for grant in Grant.objects.filter(qualification=private, told_at=None):
            _send_grant(gateway, grant)
        named = {"QualificationTypeId": private.qualification_type_id, "Comparator": "Exists"}
        return [{**named, **GUARDED}]
    exclusion = _exclusion_of(hit)
    ensure_type(gateway, exclusion)
    named = {"QualificationTypeId": exclusion.qualification_type_id, "Comparator": "DoesNotExist"}
    required = [*hit.batch.requirements, {**named, **GUARDED}]
    if len(required) > MAX_REQUIREMENTS:
        raise BatchRefused(f"A batch has at most {MAX_REQUIREMENTS - 1} requirements.")
    return required


def ensure_type(gateway: Gateway, qualification: Qualification) -> None:
    """Create the type of a qualification at its target, or find it by name."""
    if qualification.qualification_type_id:
        return
    is_compensation = " compensation " in qualification.name
    kind = "block" if qualification.block_id else "compensation" if is_compensation else "quality"
    try:
        made = gateway.call(
            "create_qualification_type", Name=qualification.name, Description=DESCRIPTIONS[kind],
            QualificationTypeStatus="Active",
        )["QualificationType"]  # fmt: skip
    except (GatewayDown, GatewayRefused):
        existing = _find_type(gateway, qualification.name)
        if existing is None:
            raise
        made = existing
    qualification.qualification_type_id = made["QualificationTypeId"]
    qualification.save(update_fields=["qualification_type_id"])


@transaction.atomic
def grant_qualification(
    qualification: Qualification, worker: Worker, *, by: User | None = None, reason: str
) -> Grant:
    """Store a grant, which is sent to the target later. Idempotent."""
    if worker.provider != qualification.provider:
        raise BatchRefused("A worker can only have qualifications of the same target.")
    grant, _new = Grant.objects.get_or_create(
        qualification=qualification, worker=worker, revoked_at=None,
        defaults={"by": by, "reason": reason},
    )  # fmt: skip
    if by:
        record("qualification.granted", qualification.study, str(grant), amount=grant.amount)
    return grant


def grant_exclusion(hit: Hit, worker: Worker) -> None:
    """Grant a worker the qualification that excludes them from a block, if the block has one."""
    exclusion = Qualification.objects.filter(
        provider=hit.provider, block=hit.reservation.questionnaire.block_id
    ).first()
    if exclusion:
        grant_qualification(exclusion, worker, reason="has begun the block")


def send_grants(target: str) -> Outcome:
    """Send a target all grants that it does not know yet."""
    grants = list(_find_unsent(target).select_related("qualification__study", "worker"))
    if not grants:
        return Outcome()
    gateway = open_gateway(target)
    return process_rows(grants, lambda grant: _send_grant(gateway, grant))


def request_sending(target: str) -> None:
    """Queue the sending of grants that are not stored at a target yet."""
    if _find_unsent(target).exists():
        key = f"grants:{target}"
        enqueue("crowd.grants", {"target": target}, scope=key, key=key)


def perform_sending(job: Job, progress: object) -> None:
    """Send a job's target its grants; those that it refuses are sent in the next round."""
    send_grants(job.request["target"])


def compare_qualifications(study: Study, target: str) -> list[Difference]:
    """Return where a target and our table differ about the qualifications of a study."""
    gateway = open_gateway(target)
    stored = Qualification.objects.filter(study=study, provider=target)
    differences = (_compare(gateway, row) for row in stored.exclude(qualification_type_id=""))
    return [difference for difference in differences if any(difference[1:])]


def _compare(gateway: Gateway, qualification: Qualification) -> Difference:
    at_target = {
        row["WorkerId"]: row["IntegerValue"]
        for row in gateway.read_all(
            "list_workers_with_qualification_type", "Qualifications", Status="Granted",
            QualificationTypeId=qualification.qualification_type_id,
        )
    }  # fmt: skip
    live = Grant.objects.filter(qualification=qualification, revoked_at=None)
    n_dropped = live.filter(worker__is_digest=True).count()
    stored = dict(live.filter(worker__is_digest=False).values_list("worker__worker_id", "amount"))
    n_unknown = max(0, len(at_target.keys() - stored.keys()) - n_dropped)
    n_unequal = sum(at_target[name] != stored[name] for name in stored.keys() & at_target.keys())
    return Difference(qualification, len(stored.keys() - at_target.keys()), n_unknown, n_unequal)


def _find_unsent(target: str) -> QuerySet[Grant]:
    unsent = Grant.objects.filter(
        qualification__provider=target, worker__is_digest=False, revoked_at=None, told_at=None
    )
    return unsent.exclude(qualification__qualification_type_id="")


def _send_grant(gateway: Gateway, grant: Grant) -> str:
    names = {
        "QualificationTypeId": grant.qualification.qualification_type_id,
        "WorkerId": grant.worker.worker_id,
    }
    try:
        gateway.call(
            "associate_qualification_with_worker", **names, IntegerValue=grant.amount,
            SendNotification=False,
        )  # fmt: skip
    except (GatewayDown, GatewayRefused):
        if _read_score(gateway, names) != grant.amount:
            raise
    Grant.objects.filter(pk=grant.pk).update(told_at=timezone.now())
    return "granted"


def _read_score(gateway: Gateway, names: dict[str, str]) -> int | None:
    """Return a worker's qualification value at a target, or None."""
    try:
        score = gateway.call("get_qualification_score", **names)["Qualification"]
    except GatewayRefused:
        return None
    return int(score["IntegerValue"]) if score["Status"] == "Granted" else None


def _exclusion_of(hit: Hit) -> Qualification:
    block = hit.reservation.questionnaire.block
    stored = Qualification.objects.filter(provider=hit.provider, block=block).first()
    name = f"group {block.number} of {hit.batch.study.slug}"
    return stored or _get_or_create(hit.batch.study, hit.provider, name, block=block)


def _get_or_create(study: Study, target: str, name: str, **more: Any) -> Qualification:
    """Return the qualification with a name that is unique among the sites of the account."""
    entrance, _new = Entrance.objects.get_or_create(study=study, provider=Provider(target))
    full = f"Cosima {entrance.token}: {name}"[:MAX_NAME_LENGTH]
    qualification, _new = Qualification.objects.get_or_create(
        provider=target, name=full, defaults={"study": study, **more}
    )
    return qualification


def _find_type(gateway: Gateway, name: str) -> dict[str, Any] | None:
    listed: Iterable[dict[str, Any]] = gateway.read_all(
        "list_qualification_types", "QualificationTypes", MustBeRequestable=False,
        MustBeOwnedByCaller=True,
    )  # fmt: skip
    return next((kind for kind in listed if kind["Name"] == name), None)
