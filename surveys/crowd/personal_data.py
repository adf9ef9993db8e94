"""Personal data of paid annotators: payments and qualifications."""

from collections.abc import Mapping
from typing import Any

from surveys.access.redaction import digest_in_study
from surveys.crowd.models import Grant, Payment
from surveys.models import Annotator, Study, Worker
from surveys.participation.arrivals import SUBMISSION

BATCH_SIZE = 500  # rows updated in one statement
PAYMENT_FIELDS = (
    "provider", "submission", "kind", "amount_cents", "state", "reason", "created_at", "settled_at",
)  # fmt: skip
GRANT_FIELDS = ("qualification__name", "amount", "reason", "granted_at", "revoked_at")


def export_person(annotator: Annotator) -> dict[str, list[dict[str, Any]]]:
    """Return the payments and qualifications of an annotator."""
    payments = Payment.objects.filter(visit__assignment__annotator=annotator)
    grants = Grant.objects.filter(qualification__study=annotator.study, worker=annotator.worker)
    return {
        "payments": list(payments.order_by("pk").values(*PAYMENT_FIELDS)),
        "qualifications": list(grants.order_by("pk").values(*GRANT_FIELDS)),
    }


def forget_workers(study: Study, digests: Mapping[int, Worker]) -> None:
    """Replace workers in a study, by their ids, and their submissions by digests."""
    grants = list(Grant.objects.filter(qualification__study=study, worker__in=digests))
    for grant in grants:
        grant.worker = digests[grant.worker_id]
    Grant.objects.bulk_update(grants, ["worker"], BATCH_SIZE)
    visits = {"visit__entrance__study": study, "visit__worker__in": digests}
    payments = list(Payment.objects.filter(**visits))
    for payment in payments:
        payment.submission = digest_in_study(study.pk, SUBMISSION, payment.submission)
    Payment.objects.bulk_update(payments, ["submission"], BATCH_SIZE)
