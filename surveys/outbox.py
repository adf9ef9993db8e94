"""The outbox: runs and webhook messages that are queued in the database, and performing them.

Each is stored in the transaction that requests it, and claimed by one process, so that nothing is
lost or done twice if the broker, the workers or the site fail.
"""

from django.utils import timezone

from surveys.access.webhooks import deliver
from surveys.crowd.mturk.jobs import perform_batch_work
from surveys.models import Delivery, Run, RunKind
from surveys.results import runs
from surveys.results.jobs import make_links, write_export

MAKERS: dict[RunKind, runs.Maker] = {
    RunKind.RESULTS: runs.make_results,
    RunKind.RELEASE: runs.make_release,
    RunKind.LINKS: make_links,
    RunKind.EXPORT: write_export,
    **dict.fromkeys(RunKind.of_batches(), perform_batch_work),
}


def list_due_runs(at_most: int) -> list[int]:
    """Return the ids of due runs, earliest first."""
    return list(Run.objects.due(timezone.now()).values_list("pk", flat=True)[:at_most])


def count_due_messages(at_most: int) -> int:
    """Return the number of due webhook messages, or `at_most`."""
    return len(Delivery.objects.due(timezone.now()).values_list("pk", flat=True)[:at_most])


def perform_run(run_id: int) -> None:
    """Perform a waiting run of any kind; see `runs.perform_run`."""
    runs.perform_run(run_id, MAKERS)


def perform_due_runs() -> int:
    """Perform runs one after another until none is due. Return their number."""
    n_runs = 0
    while due := list_due_runs(1):
        perform_run(due[0])
        n_runs += 1
    return n_runs


def send_due_messages() -> int:
    """Send the webhook messages that are due now, one after another. Return their number.

    After a failure the endpoint is not tried again in this round, so that it delays the others
    only once.
    """
    due = Delivery.objects.due(timezone.now()).order_by("next_at")
    found, failing = dict(due.values_list("pk", "webhook_id")), set()
    for delivery_id, webhook_id in found.items():
        if webhook_id not in failing and not deliver(delivery_id):
            failing.add(webhook_id)
    return len(found)
