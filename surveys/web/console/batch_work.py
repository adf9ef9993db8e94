"""What the buttons of a batch have done at its target."""

from collections.abc import Collection

from django.contrib.auth.models import User
from django.db.models import TextChoices

from surveys.crowd.budget import refuse_unarmed
from surveys.crowd.mturk.compensation import plan_compensation
from surveys.crowd.mturk.gateway import open_gateway
from surveys.crowd.mturk.qualifications import ensure_type, grant_qualification, quality_annotators
from surveys.crowd.mturk.rejections import override_rejection, reject_visit
from surveys.crowd.rewards import find_chosen
from surveys.models import Batch, RunKind, Visit
from surveys.results.runs import request_batch_work
from surveys.tasks import start_run, start_telling_grants


class Work(TextChoices):
    """What is done in the background for a whole batch."""

    PUBLISH = "publish", "The HITs are being published."
    FETCH = "fetch", "What was handed in is being fetched."
    PAY = "pay", "What is payable is being paid."
    STOP = "stop", "The batch is being stopped."


def start_work(batch: Batch, what: Work, by: User) -> None:
    """Have it done. Raises BatchRefused for what commits money under a batch that is not armed."""
    if what in (Work.PUBLISH, Work.PAY):
        refuse_unarmed(batch)
    start_run(request_batch_work(batch, RunKind(what.value), by).pk)


def reject(visit: Visit, by: User, feedback: str) -> None:
    """Tell the target that somebody's work is not paid, and tell them why."""
    reject_visit(visit, by=by, feedback=feedback)


def override(visit: Visit, by: User, reason: str) -> None:
    """Pay somebody whose work was rejected, after all."""
    override_rejection(visit, by=by, reason=reason)


def compensate(visit: Visit, by: User, reason: str) -> None:
    """Plan a HIT by which somebody alone is paid for unpaid work."""
    plan_compensation(visit, by=by, reason=reason)


def open_private_tasks(batch: Batch, chosen: Collection[int], by: User, reason: str) -> None:
    """Let the annotators chosen do the study's private tasks, which a batch can then require.

    Raises PaymentRefused, and GatewayDown before anybody is chosen.
    """
    visits = find_chosen(batch, chosen)
    qualification = quality_annotators(batch.study, batch.provider)
    ensure_type(open_gateway(batch.provider), qualification)
    for visit in visits:
        grant_qualification(qualification, visit.worker, by=by, reason=reason)
    start_telling_grants(batch.provider)
