"""The operators' page: the state of the whole site."""

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods

from surveys.jobs.kinds import list_kinds
from surveys.models import Job, JobState
from surveys.operations.gauges import describe_site, list_queues
from surveys.operations.health import HEALTHY, check_health
from surveys.operations.timers import list_timers
from surveys.query_params import read_number
from surveys.results.runs import retry_job
from surveys.web.console.access import console_page, signed_in

N_FAILED = 20  # jobs shown


@require_http_methods(["GET", "POST"])
@console_page
def site(request: HttpRequest) -> HttpResponse:
    """Show versions, health, queue and timers to operators; a POST repeats a failed job."""
    if not signed_in(request).is_superuser:
        raise PermissionDenied
    if request.method == "POST":
        retry_job(get_object_or_404(Job, pk=read_number(request.POST.get("job", "")) or 0))
        messages.success(request, "The job waits to be performed again.")
        return redirect("console:site")
    labels = {kind.name: kind.label for kind in list_kinds()}
    failed = Job.objects.filter(state=JobState.FAILED, kind__in=labels).select_related("study")
    page = {
        "facts": describe_site(),
        "parts": [(part, state, state in HEALTHY) for part, state in check_health().checks.items()],
        "queues": [(labels.get(queue.kind, queue.kind), queue) for queue in list_queues()],
        "failed": [(labels[job.kind], job) for job in failed[:N_FAILED]],
        "timers": list_timers(),
    }
    return render(request, "console/account/site.html", page)
