"""Paid batches: planned, armed, and at work."""

from typing import Any

from django.contrib import messages
from django.core.exceptions import BadRequest
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from surveys.access.roles import Right
from surveys.crowd.batch_summary import (
    count_unpaid,
    find_batches,
    find_ledger,
    list_faults,
    list_lines,
    sum_ledger,
    tally_hits,
    tally_standings,
    tell_money,
)
from surveys.crowd.budget import arm_batch, disarm_batch
from surveys.crowd.fees import write_cents
from surveys.crowd.mturk.planning import drop_plan, plan_batch
from surveys.crowd.mturk.requirements import tell_requirement
from surveys.crowd.offer import join_ranges, list_free_places, tell_pace
from surveys.models import Batch, HitState, Standing, Study
from surveys.models.batches import DAY
from surveys.web.console.access import signed_in, study_page
from surveys.web.console.batch_forms import ArmForm, CostForm, PlanForm
from surveys.web.console.batch_work import Work, start_work
from surveys.web.console.confirming import Question, ask_first
from surveys.web.console.forms import attempt

ROWS_A_PAGE = 25
MOST_RANGES = 100  # of questionnaires with equally many free places, on the page of a plan


@require_GET
@study_page(Right.WORK)
def batches(request: HttpRequest, study: Study) -> HttpResponse:
    """The batches of a study, the latest first."""
    rows = Paginator(find_batches(study), ROWS_A_PAGE).get_page(request.GET.get("page"))
    page = {"study": study, "rows": rows, "lines": list_lines(list(rows)), "now": timezone.now()}
    return render(request, "console/batches.html", page)


@require_http_methods(["GET", "POST"])
@study_page(Right.WORK)
def plan(request: HttpRequest, study: Study) -> HttpResponse:
    """Which places are offered, for how much, to whom; a POST to reckon stores nothing."""
    is_sent = request.method == "POST"
    free, pace = list_free_places(study), tell_pace(study)
    sent = request.POST if is_sent else None
    form = PlanForm(sent, study=study, free=free, pace=pace, use_required_attribute=False)
    led_to: list[Batch] = []

    def act() -> None:
        led_to.append(plan_batch(study, form.provider, form.places, **form.terms))
        messages.success(request, "The batch is planned. Nothing is offered until it is armed.")

    only_reckons = is_sent and "reckon" in request.POST
    if is_sent and not only_reckons and attempt(form, act):
        return redirect("console:batch", study.slug, led_to[0].pk)
    ranges = join_ranges(free)
    page = {
        "study": study,
        "form": form,
        "free": free,
        "ranges": ranges[:MOST_RANGES],
        "n_more": sum(one.n_questionnaires for one in ranges[MOST_RANGES:]),
        "n_free": sum(one.n_free for one in free),
        "pace": pace,
        "is_reckoned": only_reckons and not form.errors,
    }
    return render(request, "console/plan_batch.html", page, status=422 if form.errors else 200)


@require_GET
@study_page(Right.WORK)
def reckon(request: HttpRequest, study: Study) -> HttpResponse:
    """What the fields in the address would cost: the part of the form's page that follows them."""
    form = CostForm(request.GET, free=list_free_places(study), pace=tell_pace(study))
    form.is_valid()
    return render(request, "console/_batch_cost.html", {"form": form})


@require_GET
@study_page(Right.WORK)
def batch(request: HttpRequest, study: Study, batch_id: int) -> HttpResponse:
    """One batch: what it is, how far it is, and what can be done."""
    return show_batch(request, study, find_batch(study, batch_id), None)


@require_POST
@study_page(Right.OWN)
def arm(request: HttpRequest, study: Study, batch_id: int) -> HttpResponse:
    """Let a batch commit money, up to a ceiling and until a day."""
    found = find_batch(study, batch_id)
    form = ArmForm(request.POST)

    def act() -> None:
        amounts = {name: form.cleaned_data[name] for name in ("typed_cents", "ceiling_cents")}
        arm_batch(found, signed_in(request), until=form.until, **amounts)
        messages.success(request, "The batch is armed.")

    if attempt(form, act):
        return redirect("console:batch", study.slug, batch_id)
    return show_batch(request, study, found, form)


@require_POST
@study_page(Right.WORK)
def disarm(request: HttpRequest, study: Study, batch_id: int) -> HttpResponse:
    """Let it commit nothing more. Whoever works on the study may pull this brake."""
    disarm_batch(find_batch(study, batch_id))
    messages.success(request, "The batch is disarmed: nothing more is published or paid.")
    return redirect("console:batch", study.slug, batch_id)


@require_http_methods(["GET", "POST"])
@study_page(Right.WORK)
def drop(request: HttpRequest, study: Study, batch_id: int) -> HttpResponse:
    """Ask whether to give back the places of HITs that were never published; a POST does it."""
    found = find_batch(study, batch_id)
    if request.method == "GET":
        n_planned = found.hits.filter(state=HitState.PLANNED).count()
        question = Question(
            title="Drop the planned HITs",
            text=f"Planned, never on offer: {n_planned}. Their places become free for others.\n\n"
            "This cannot be undone; plan another batch to offer these places again.",
            button="Drop the planned HITs",
            back=reverse("console:batch", args=[study.slug, batch_id]),
        )
        return ask_first(request, question, study=study)
    n_hits = drop_plan(found)
    messages.success(request, f"HITs dropped: {n_hits}. Their places are free again.")
    return redirect("console:batch", study.slug, batch_id)


@require_GET
@study_page(Right.WORK)
def stop(request: HttpRequest, study: Study, batch_id: int) -> HttpResponse:
    """Ask whether to stop a batch; the button posts to `work`."""
    find_batch(study, batch_id)
    question = Question(
        title="Stop the batch",
        text="Its HITs are taken off the market, so that nobody new can accept one. Workers who "
        "have accepted may finish and are paid.\n\nThis cannot be undone; you can plan another.",
        button="Stop the batch",
        back=reverse("console:batch", args=[study.slug, batch_id]),
        action=reverse("console:work_batch", args=[study.slug, batch_id]),
        fields={"what": Work.STOP.value},
    )
    return ask_first(request, question, study=study)


@require_POST
@study_page(Right.WORK)
def work(request: HttpRequest, study: Study, batch_id: int) -> HttpResponse:
    """Have something done for a whole batch, in the background."""
    found = find_batch(study, batch_id)
    if (what := request.POST.get("what")) not in Work.values:
        raise BadRequest
    start_work(found, Work(what), signed_in(request))
    messages.success(
        request, f"{Work(what).label} Load this page again to see what has come of it."
    )
    return redirect("console:batch", study.slug, batch_id)


@require_GET
@study_page(Right.WORK)
def ledger(request: HttpRequest, study: Study, batch_id: int) -> HttpResponse:
    """Every payment of a batch: how much, for whom, who decided it, when and why."""
    found = find_batch(study, batch_id)
    rows = Paginator(find_ledger(found), ROWS_A_PAGE).get_page(request.GET.get("page"))
    page = {"study": study, "batch": found, "rows": rows, "sums": sum_ledger(found)}
    return render(request, "console/batch_ledger.html", page)


def find_batch(study: Study, batch_id: int) -> Batch:
    """A batch of the study, and of no other."""
    return get_object_or_404(find_batches(study), pk=batch_id)


def show_batch(
    request: HttpRequest, study: Study, found: Batch, arming: ArmForm | None
) -> HttpResponse:
    """The page of a batch, with what was wrong about arming it."""
    money, hits, now = tell_money(found), tally_hits(found), timezone.now()
    standings = tally_standings(found)
    ceiling = write_cents(max(money.forecast_cents, money.ceiling_cents or 0))
    pace = tell_pace(study)
    page: dict[str, Any] = {
        "study": study,
        "batch": found,
        "money": money,
        "hits": hits,
        "n_hits": sum(tally.n_hits for tally in hits),
        "n_places": sum(tally.n_places for tally in hits),
        "n_planned": sum(t.n_hits for t in hits if t.state == HitState.PLANNED),
        "faults": list_faults(found),
        "standings": standings,
        "n_payable": sum(tally.n for tally in standings if tally.standing == Standing.PAYABLE),
        "n_unpaid": count_unpaid(found),
        "minutes_allowed": found.assignment_seconds // 60,
        "days_on_offer": found.lifetime_seconds // DAY,
        "days_to_approval": found.auto_approval_seconds // DAY,
        "requirements": [tell_requirement(one) for one in found.requirements],
        "pace": pace,
        "hourly_cents": pace.hourly_cents(found.reward_cents),
        "later_hourly_cents": pace.later_hourly_cents(found.reward_cents),
        "is_low": pace.is_low(found.reward_cents),
        "is_armed": found.is_armed(now),
        "now": now,
        "form": arming or ArmForm(initial={"ceiling_cents": ceiling}),
    }
    status = 422 if arming and arming.errors else 200
    return render(request, "console/batch.html", page, status=status)
