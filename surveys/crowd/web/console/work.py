"""Actions of the batch pages that need the provider."""

from collections.abc import Collection

from django.contrib.auth.models import User

from surveys.crowd.budget import refuse_unapproved
from surveys.crowd.ledger import find_chosen
from surveys.crowd.models import Batch, BatchWork
from surveys.crowd.mturk.batch_jobs import request_batch_work
from surveys.crowd.mturk.gateway import open_gateway
from surveys.crowd.mturk.qualifications import (
    ensure_type,
    grant_qualification,
    quality_annotators,
    request_sending,
)


def start_work(batch: Batch, what: BatchWork, by: User) -> None:
    """Start a job. Raises BatchRefused if it spends money and the budget is not approved."""
    if what in (BatchWork.PUBLISH, BatchWork.PAY):
        refuse_unapproved(batch)
    request_batch_work(batch, what, by)


def open_private_tasks(batch: Batch, *, chosen: Collection[int], by: User, reason: str) -> None:
    """Grant the workers of visits the qualification for the study's private tasks.

    Raises PaymentRefused, and GatewayDown before any is granted.
    """
    visits = find_chosen(batch, chosen)
    qualification = quality_annotators(batch.study, batch.provider)
    ensure_type(open_gateway(batch.provider), qualification)
    for visit in visits:
        grant_qualification(qualification, visit.worker, by=by, reason=reason)
    request_sending(batch.provider)
