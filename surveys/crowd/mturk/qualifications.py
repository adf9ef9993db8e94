"""Marks that a target keeps of workers for us: who had a block, who does private tasks.

They spare workers a disappointment. Who gets a place is decided when they arrive, whatever these
say.
"""

from collections.abc import Iterable
from typing import Any, NamedTuple

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from surveys.access.audit_log import record
from surveys.crowd.mturk.gateway import Gateway, open_gateway
from surveys.crowd.mturk.steps import Outcome, Tell, go_through, keep_quiet
from surveys.errors import BatchRefused, GatewayDown, GatewayRefused
from surveys.models import Entrance, Grant, Hit, Provider, Qualification, Study, Worker

GUARDED = "DiscoverPreviewAndAccept"
MOST_REQUIREMENTS = 10
LONGEST_NAME = 200
DESCRIPTIONS = {
    "block": "Has taken part in a group of texts, which is offered to each person once.",
    "quality": "Is invited to private tasks of this study.",
    "compensation": "Has finished work that could not be paid otherwise.",
}


class Difference(NamedTuple):
    """How a target and our own table disagree about a qualification."""

    qualification: Qualification
    untold: int  # granted here, and not there
    unknown: int  # granted there, and not here
    unequal: int  # of another value there


def quality_annotators(study: Study, target: str) -> Qualification:
    """The qualification of a study's private tasks."""
    return _get_or_make(study, target, f"quality annotators of {study.slug}")


def requirement_of(qualification: Qualification, at_least: int | None = None) -> dict[str, Any]:
    """What a batch requires for a private task: that somebody has it, or so much of it."""
    ensure_type(open_gateway(qualification.provider), qualification)
    required = {
        "QualificationTypeId": qualification.qualification_type_id, "ActionsGuarded": GUARDED,
    }  # fmt: skip
    if at_least is None:
        return {**required, "Comparator": "Exists"}
    return {**required, "Comparator": "GreaterThanOrEqualTo", "IntegerValues": [at_least]}


def require_for(gateway: Gateway, hit: Hit) -> list[dict[str, Any]]:
    """What a HIT requires: what its batch does and not to have had its block.

    One that compensates is for one worker alone, whom it is granted to first. Raises BatchRefused.
    """
    guarded = {"ActionsGuarded": GUARDED}
    if hit.compensates:
        if hit.compensates.worker.is_digest:
            raise BatchRefused("The id of this worker was dropped: pay them in another way.")
        private = _get_or_make(hit.batch.study, hit.provider, f"compensation {hit.key}")
        ensure_type(gateway, private)
        grant_qualification(private, hit.compensates.worker, reason="unpaid work")
        for grant in Grant.objects.filter(qualification=private, told_at=None):
            _tell_grant(gateway, grant)
        named = {"QualificationTypeId": private.qualification_type_id, "Comparator": "Exists"}
        return [{**named, **guarded}]
    exclusion = _exclusion_of(hit)
    ensure_type(gateway, exclusion)
    named = {"QualificationTypeId": exclusion.qualification_type_id, "Comparator": "DoesNotExist"}
    required = [*hit.batch.requirements, {**named, **guarded}]
    if len(required) > MOST_REQUIREMENTS:
        raise BatchRefused(f"A batch has at most {MOST_REQUIREMENTS - 1} requirements of its own.")
    return required


def ensure_type(gateway: Gateway, qualification: Qualification) -> None:
    """Have the type of a qualification at its target: the one of its name, or a new one."""
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
        found = _find_type(gateway, qualification.name)
        if found is None:
            raise
        made = found
    qualification.qualification_type_id = made["QualificationTypeId"]
    qualification.save(update_fields=["qualification_type_id"])


@transaction.atomic
def grant_qualification(
    qualification: Qualification, worker: Worker, *, amount: int = 1, by: User | None = None,
    reason: str,
) -> Grant:  # fmt: skip
    """Note that a worker has a qualification; the target is told later. Twice does no harm."""
    if worker.provider != qualification.provider:
        raise BatchRefused("A worker has qualifications of their own target alone.")
    grant, is_new = Grant.objects.get_or_create(
        qualification=qualification, worker=worker, revoked_at=None,
        defaults={"amount": amount, "by": by, "reason": reason},
    )  # fmt: skip
    if not is_new and grant.amount != amount:
        grant.amount, grant.told_at, grant.by, grant.reason = amount, None, by, reason
        grant.save(update_fields=["amount", "told_at", "by", "reason"])
    if by:
        record("qualification.granted", qualification.study, str(grant), amount=amount)
    return grant


@transaction.atomic
def revoke_grant(grant: Grant, *, by: User, reason: str) -> None:
    """Note that a worker has a qualification no more; the target is told later."""
    live = Grant.objects.filter(pk=grant.pk, revoked_at=None)
    if live.update(revoked_at=timezone.now(), by=by, reason=reason[:LONGEST_NAME]):
        record("qualification.revoked", grant.qualification.study, str(grant), reason=reason)


def note_block_seen(hit: Hit, worker: Worker) -> None:
    """Note that a worker has begun a block, where its HITs require that nobody has."""
    exclusion = Qualification.objects.filter(
        provider=hit.provider, block=hit.questionnaire.block_id
    ).first()
    if exclusion:
        grant_qualification(exclusion, worker, reason="has begun the block")


def tell_grants(target: str, tell: Tell = keep_quiet) -> Outcome:
    """Have a target know of all grants that it does not; and of those that were revoked."""
    grants = list(_untold_at(target).select_related("qualification__study", "worker"))
    if not grants:
        return Outcome()
    gateway = open_gateway(target)
    return go_through(grants, lambda grant: _tell_grant(gateway, grant), "granting", tell)


def has_untold(target: str) -> bool:
    """Whether there are grants of which a target does not know."""
    return _untold_at(target).exists()


def compare_qualifications(study: Study, target: str) -> list[Difference]:
    """Where a target and our own table differ about who has which qualification of a study."""
    gateway = open_gateway(target)
    made = Qualification.objects.filter(study=study, provider=target)
    found = (_compare(gateway, one) for one in made.exclude(qualification_type_id=""))
    return [difference for difference in found if any(difference[1:])]


def _compare(gateway: Gateway, qualification: Qualification) -> Difference:
    there = {
        row["WorkerId"]: row["IntegerValue"]
        for row in gateway.read_all(
            "list_workers_with_qualification_type", "Qualifications", Status="Granted",
            QualificationTypeId=qualification.qualification_type_id,
        )
    }  # fmt: skip
    live = Grant.objects.filter(qualification=qualification, revoked_at=None)
    n_dropped = live.filter(worker__is_digest=True).count()
    here = dict(live.filter(worker__is_digest=False).values_list("worker__worker_id", "amount"))
    n_unknown = max(0, len(there.keys() - here.keys()) - n_dropped)
    n_unequal = sum(there[one] != here[one] for one in here.keys() & there.keys())
    return Difference(qualification, len(here.keys() - there.keys()), n_unknown, n_unequal)


def _untold_at(target: str) -> QuerySet[Grant]:
    known = Grant.objects.filter(qualification__provider=target, worker__is_digest=False)
    with_type = known.exclude(qualification__qualification_type_id="")
    granted = with_type.filter(revoked_at=None, told_at=None)
    revoked = with_type.filter(revoked_at__isnull=False, told_at__isnull=False)
    return granted | revoked


def _tell_grant(gateway: Gateway, grant: Grant) -> str:
    ours = {
        "QualificationTypeId": grant.qualification.qualification_type_id,
        "WorkerId": grant.worker.worker_id,
    }
    is_granted = grant.revoked_at is None
    try:
        if is_granted:
            gateway.call(
                "associate_qualification_with_worker", **ours, IntegerValue=grant.amount,
                SendNotification=False,
            )  # fmt: skip
        else:
            gateway.call("disassociate_qualification_from_worker", **ours)
    except (GatewayDown, GatewayRefused):
        if _read_score(gateway, ours) != (grant.amount if is_granted else None):
            raise
    told_at = timezone.now() if is_granted else None
    Grant.objects.filter(pk=grant.pk, revoked_at=grant.revoked_at).update(told_at=told_at)
    return "granted" if is_granted else "revoked"


def _read_score(gateway: Gateway, ours: dict[str, str]) -> int | None:
    """What a target says that a worker has; None for nothing."""
    try:
        found = gateway.call("get_qualification_score", **ours)["Qualification"]
    except GatewayRefused:
        return None
    return int(found["IntegerValue"]) if found["Status"] == "Granted" else None


def _exclusion_of(hit: Hit) -> Qualification:
    block = hit.questionnaire.block
    found = Qualification.objects.filter(provider=hit.provider, block=block).first()
    name = f"group {block.number} of {hit.batch.study.slug}"
    return found or _get_or_make(hit.batch.study, hit.provider, name, block=block)


def _get_or_make(study: Study, target: str, name: str, **more: Any) -> Qualification:
    """A qualification of a name that no other site of the same account has given."""
    entrance, _new = Entrance.objects.get_or_create(study=study, provider=Provider(target))
    full = f"Cosima {entrance.token}: {name}"[:LONGEST_NAME]
    found, _new = Qualification.objects.get_or_create(
        provider=target, name=full, defaults={"study": study, **more}
    )
    return found


def _find_type(gateway: Gateway, name: str) -> dict[str, Any] | None:
    listed: Iterable[dict[str, Any]] = gateway.read_all(
        "list_qualification_types", "QualificationTypes", MustBeRequestable=False,
        MustBeOwnedByCaller=True,
    )  # fmt: skip
    return next((one for one in listed if one["Name"] == name), None)
