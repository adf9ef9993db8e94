"""Paid batches: planning, approval of the budget, background work, ledger."""

from typing import Any

from django.contrib import messages
from django.core.exceptions import BadRequest
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone

from surveys.access.roles import Right
from surveys.crowd.batches.offer import find_pace, join_ranges, list_free_places
from surveys.crowd.batches.summary import (
    count_statuses,
    count_unpaid,
    find_batches,
    find_ledger,
    list_faults,
    list_lines,
    sum_ledger,
    sum_money,
    tally_hits,
)
from surveys.crowd.budget import approve_budget, withdraw_approval
from surveys.crowd.models import DAY, Batch, BatchWork, HitState
from surveys.crowd.mturk.batch_jobs import is_batch_busy
from surveys.crowd.mturk.hits import drop_plan, plan_batch
from surveys.crowd.mturk.qualifications import describe_requirement
from surveys.crowd.mturk.targets import find_target
from surveys.crowd.web.console.batch_forms import ApprovalForm, CostForm, PlanForm
from surveys.crowd.web.console.work import start_work
from surveys.models import ReconciliationResult, Study
from surveys.money import format_cents
from surveys.web.console.access import signed_in, study_page
from surveys.web.console.confirmation import ask_first
from surveys.web.forms import attempt, posted, status_of

ROWS_PER_PAGE = 25
BEGUN: dict[str, str] = {
    BatchWork.PUBLISH: "The HITs are being published.",
    BatchWork.FETCH: "Submitted work is being fetched.",
    BatchWork.PAY: "Payable work is being paid.",
    BatchWork.STOP: "The batch is being stopped.",
}
MAX_RANGES = 100  # of questionnaires with equally many open places, on the page of a plan


@study_page(Right.WORK, "GET")
def batches(request: HttpRequest, study: Study) -> HttpResponse:
    """List the batches of a study, newest first."""
    rows = Paginator(find_batches(study), ROWS_PER_PAGE).get_page(request.GET.get("page"))
    page = {"study": study, "rows": rows, "lines": list_lines(list(rows)), "now": timezone.now()}
    return render(request, "crowd/batches.html", page)


@study_page(Right.WORK)
def plan(request: HttpRequest, study: Study) -> HttpResponse:
    """Plan a batch (POST), or only calculate its cost (POST with `calculate`)."""
    free, pace = list_free_places(study), find_pace(study)
    form = PlanForm(
        posted(request), study=study, free=free, pace=pace, use_required_attribute=False
    )
    planned: list[Batch] = []

    def act() -> None:
        planned.append(plan_batch(study, form.provider, form.places, **form.terms))

    only_calculates = "calculate" in request.POST
    if not only_calculates and attempt(form, act):
        messages.success(
            request, "The batch is planned. Nothing is offered until its budget is approved."
        )
        return redirect("console:batch", study.slug, planned[0].pk)
    ranges = join_ranges(free)
    page = {
        "study": study,
        "form": form,
        "free": free,
        "ranges": ranges[:MAX_RANGES],
        "n_more": sum(row.n_questionnaires for row in ranges[MAX_RANGES:]),
        "n_free": sum(row.n_free for row in free),
        "pace": pace,
        "is_calculated": only_calculates and not form.errors,
    }
    return render(request, "crowd/plan.html", page, status=status_of(form))


@study_page(Right.WORK, "GET")
def calculate(request: HttpRequest, study: Study) -> HttpResponse:
    """Render the cost of the fields in the query string, to replace that part of the form."""
    form = CostForm(request.GET, free=list_free_places(study), pace=find_pace(study))
    form.is_valid()
    return render(request, "crowd/_cost.html", {"form": form})


@study_page(Right.WORK, "GET")
def batch(request: HttpRequest, study: Study, batch_id: int) -> HttpResponse:
    """Show the state of a batch and the actions on it."""
    return show_batch(request, find_batch(study, batch_id), None)


@study_page(Right.OWN, "POST")
def arm(request: HttpRequest, study: Study, batch_id: int) -> HttpResponse:
    """Approve the budget of a batch, up to a ceiling and until a day."""
    batch = find_batch(study, batch_id)
    form = ApprovalForm(request.POST)

    def act() -> None:
        amounts = {name: form.cleaned_data[name] for name in ("typed_cents", "ceiling_cents")}
        approve_budget(batch, signed_in(request), until=form.until, **amounts)

    if attempt(form, act):
        messages.success(request, "The budget is approved.")
        return redirect("console:batch", study.slug, batch_id)
    return show_batch(request, batch, form)


@study_page(Right.WORK, "POST")
def disarm(request: HttpRequest, study: Study, batch_id: int) -> HttpResponse:
    """Withdraw the approval of a budget; allowed to researchers, too, as an emergency brake."""
    withdraw_approval(find_batch(study, batch_id))
    messages.success(request, "The approval is withdrawn: nothing more is published or paid.")
    return redirect("console:batch", study.slug, batch_id)


@study_page(Right.WORK)
def drop(request: HttpRequest, study: Study, batch_id: int) -> HttpResponse:
    """Confirm (GET) or delete (POST) planned HITs, which releases their places."""
    batch = find_batch(study, batch_id)
    if request.method == "GET":
        n_planned = batch.hits.filter(state=HitState.PLANNED).count()
        return ask_first(
            request,
            study,
            title="Delete the planned HITs",
            text=f"Planned, never on offer: {n_planned:,}. Their places become open again.\n\n"
            "This cannot be undone; plan another batch to offer these places again.",
            button="Delete the planned HITs",
            back=reverse("console:batch", args=[study.slug, batch_id]),
        )
    n_hits = drop_plan(batch)
    messages.success(request, f"HITs deleted: {n_hits:,}. Their places are open again.")
    return redirect("console:batch", study.slug, batch_id)


@study_page(Right.WORK, "GET")
def stop(request: HttpRequest, study: Study, batch_id: int) -> HttpResponse:
    """Ask for confirmation to stop a batch; the button posts to `work`."""
    find_batch(study, batch_id)
    return ask_first(
        request,
        study,
        title="Stop the batch",
        text="Its HITs are withdrawn, and no new worker can accept one. Workers who have accepted "
        "may finish and are paid.\n\nThis cannot be undone; you can plan another batch.",
        button="Stop the batch",
        back=reverse("console:batch", args=[study.slug, batch_id]),
        action=reverse("console:work_batch", args=[study.slug, batch_id]),
        fields={"what": BatchWork.STOP.value},
    )


@study_page(Right.WORK, "POST")
def work(request: HttpRequest, study: Study, batch_id: int) -> HttpResponse:
    """Start a background job for a whole batch."""
    batch = find_batch(study, batch_id)
    if (what := request.POST.get("what")) not in BatchWork.values:
        raise BadRequest
    start_work(batch, BatchWork(what), signed_in(request))
    messages.success(request, f"{BEGUN[what]} This page shows the progress.")
    return redirect("console:batch", study.slug, batch_id)


@study_page(Right.WORK, "GET")
def ledger(request: HttpRequest, study: Study, batch_id: int) -> HttpResponse:
    """List the payments of a batch, with sums."""
    batch = find_batch(study, batch_id)
    rows = Paginator(find_ledger(batch), ROWS_PER_PAGE).get_page(request.GET.get("page"))
    page = {**describe(batch), "rows": rows, "sums": sum_ledger(batch)}
    return render(request, "crowd/ledger.html", page)


def find_batch(study: Study, batch_id: int) -> Batch:
    """Return a batch of the study, or answer 404."""
    return get_object_or_404(find_batches(study), pk=batch_id)


def describe(batch: Batch) -> dict[str, Any]:
    """Return what all pages of a batch show."""
    return {"study": batch.study, "batch": batch, "target": find_target(batch.provider)}


def show_batch(request: HttpRequest, batch: Batch, approval: ApprovalForm | None) -> HttpResponse:
    """Render a batch, with the form to approve its budget."""
    money, hits, now = sum_money(batch), tally_hits(batch), timezone.now()
    standings = count_statuses(batch)
    ceiling = format_cents(max(money.forecast_cents, money.ceiling_cents or 0))
    form = approval or ApprovalForm(initial={"ceiling_cents": ceiling})
    pace = find_pace(batch.study)
    page = {
        **describe(batch),
        "money": money,
        "hits": hits,
        "n_hits": sum(tally.n_hits for tally in hits),
        "n_places": sum(tally.n_places for tally in hits),
        "n_planned": sum(t.n_hits for t in hits if t.state == HitState.PLANNED),
        "faults": list_faults(batch),
        "standings": standings,
        "n_payable": sum(
            tally.n for tally in standings if tally.standing == ReconciliationResult.PAYABLE
        ),
        "n_unpaid": count_unpaid(batch),
        "minutes_allowed": batch.assignment_seconds // 60,
        "days_on_offer": batch.lifetime_seconds // DAY,
        "days_to_approval": batch.auto_approval_seconds // DAY,
        "requirements": [describe_requirement(requirement) for requirement in batch.requirements],
        "pace": pace,
        "hourly_cents": pace.hourly_cents(batch.reward_cents),
        "later_hourly_cents": pace.later_hourly_cents(batch.reward_cents),
        "is_low": pace.is_low(batch.reward_cents),
        "is_armed": batch.is_armed(now),
        "is_busy": is_batch_busy(batch),
        "now": now,
        "form": form,
    }
    return render(request, "crowd/batch.html", page, status=status_of(form))
