"""The outbox: runs and messages that were stored to be done in the background, and are due.

Each is a row of the transaction that asked for it, and is claimed by one process, so nothing is
lost or done twice whatever becomes of the broker, the workers or the site.
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
    """Return the ids of runs that may be begun now, the longest due first."""
    return list(Run.objects.due(timezone.now()).values_list("pk", flat=True)[:at_most])


def count_due_messages(at_most: int) -> int:
    """Return how many messages to webhooks are due, counted up to a number."""
    return len(Delivery.objects.due(timezone.now()).values_list("pk", flat=True)[:at_most])


def perform_run(run_id: int) -> None:
    """Perform a run that waits, whatever its kind; see `running.perform_run`."""
    runs.perform_run(run_id, MAKERS)


def perform_due_runs() -> int:
    """Perform runs one after another until none is due. Return how many were taken up."""
    n_taken = 0
    while due := list_due_runs(1):
        perform_run(due[0])
        n_taken += 1
    return n_taken


def send_due_messages() -> int:
    """Send messages one after another that are due now. Return how many were due.

    An address that does not take a message is not tried again in this round, so that it holds up
    the others once.
    """
    due = Delivery.objects.due(timezone.now()).order_by("next_at")
    found, failing = dict(due.values_list("pk", "webhook_id")), set()
    for delivery_id, webhook_id in found.items():
        if webhook_id not in failing and not deliver(delivery_id):
            failing.add(webhook_id)
    return len(found)
