"""The list of shared tasks, and the overview, texts, organisers, opening and log of one."""

from django.contrib import messages
from django.contrib.auth.models import User
from django.core.paginator import Paginator
from django.db.models import Count, Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_GET, require_http_methods

from surveys.access.audit_log import find_entries
from surveys.sharedtasks.models import SharedTask, SharedTaskState, TeamKind, TeamState
from surveys.sharedtasks.opening import expect_figures, list_lacking, open_task
from surveys.sharedtasks.parts import list_parts
from surveys.sharedtasks.phases import expect_probing, list_early_scores
from surveys.sharedtasks.tasks import (
    add_organiser,
    configure_task,
    make_shared_task,
    may_organise,
    organised_tasks,
    remove_organiser,
)
from surveys.sharedtasks.web.organisers.access import ask_first, now_of, task_page
from surveys.sharedtasks.web.organisers.task_forms import (
    NewTaskForm,
    OpeningForm,
    OrganiserForm,
    RulesForm,
)
from surveys.web.console.access import console_page, signed_in
from surveys.web.forms import attempt, posted, status_of
from surveys.web.rendering.markdown import render_markdown

ENTRIES_PER_PAGE = 50
TASKS_PER_PAGE = 24


@require_GET
@console_page
def tasks(request: HttpRequest) -> HttpResponse:
    """List the shared tasks that the user organises, newest first."""
    is_team = Q(teams__kind=TeamKind.TEAM, teams__state=TeamState.ACCEPTED)
    organised = organised_tasks(request.user).annotate(
        n_teams=Count("teams", filter=is_team, distinct=True), n_parts=Count("parts", distinct=True)
    )
    rows = Paginator(organised.order_by("-pk"), TASKS_PER_PAGE).get_page(request.GET.get("page"))
    return render(request, "sharedtasks/organisers/tasks.html", {"rows": rows})


@require_http_methods(["GET", "POST"])
@console_page
def new_task(request: HttpRequest) -> HttpResponse:
    """Create a draft, which the user organises."""
    form = NewTaskForm(posted(request))

    def make() -> None:
        make_shared_task(signed_in(request), **form.cleaned_data)

    if attempt(form, make):
        return redirect("organisers:overview", form.cleaned_data["slug"])
    page = {"form": form}
    return render(request, "sharedtasks/organisers/new_task.html", page, status=status_of(form))


@task_page("GET")
def overview(request: HttpRequest, shared_task: SharedTask) -> HttpResponse:
    """Show the state of a shared task, its data, dates and numbers."""
    page = {
        "shared_task": shared_task,
        "parts": list_parts(shared_task),
        "phases": shared_task.phases.all(),
        "n_teams": shared_task.teams.competing().count(),
        "n_pending": shared_task.teams.filter(state=TeamState.PENDING).count(),
        "now": now_of(request),
    }
    return render(request, "sharedtasks/organisers/overview.html", page)


@task_page()
def rules(request: HttpRequest, shared_task: SharedTask) -> HttpResponse:
    """Show texts and rules; a POST changes those that can still be changed."""
    form = RulesForm(shared_task, posted(request))
    if attempt(form, lambda: configure_task(shared_task, form.cleaned_data)):
        messages.success(request, "Texts and rules were saved.")
        return redirect("organisers:rules", shared_task.slug)
    page = {
        "shared_task": shared_task,
        "form": form,
        "text": render_markdown(shared_task.text),
        "terms": render_markdown(shared_task.terms),
    }
    return render(request, "sharedtasks/organisers/rules.html", page, status=status_of(form))


@task_page()
def opening(request: HttpRequest, shared_task: SharedTask) -> HttpResponse:
    """Show what data and limits can show, and what is lacking; a POST opens the shared task."""
    now, is_draft = now_of(request), shared_task.state == SharedTaskState.DRAFT
    phases = list(shared_task.phases.select_related("shared_task"))
    probing = expect_probing(phases)
    asks = is_draft and any(gain.is_large for gain in probing)
    form = OpeningForm(posted(request), asks=asks)

    def open_now() -> None:
        accepts = form.cleaned_data.get("accepts_probing", False)
        open_task(shared_task, now=now, accepts_probing=accepts)

    if attempt(form, open_now):
        messages.success(request, "The shared task is open.")
        return redirect("organisers:overview", shared_task.slug)
    page = {
        "shared_task": shared_task,
        "form": form,
        "figures": expect_figures(shared_task),
        "probing": probing,
        "early": list_early_scores(phases),
        "asks": asks,
        "lacking": list_lacking(shared_task, now=now) if is_draft else [],
    }
    return render(request, "sharedtasks/organisers/opening.html", page, status=status_of(form))


@task_page()
def organisers(request: HttpRequest, shared_task: SharedTask) -> HttpResponse:
    """List the organisers; a POST adds one."""
    form = OrganiserForm(posted(request))
    if attempt(form, lambda: add_organiser(shared_task, form.cleaned_data["username"])):
        return redirect("organisers:organisers", shared_task.slug)
    page = {
        "shared_task": shared_task,
        "organisers": shared_task.organisers.select_related("user"),
        "form": form,
    }
    return render(request, "sharedtasks/organisers/organisers.html", page, status=status_of(form))


@task_page()
def leave(request: HttpRequest, shared_task: SharedTask, user_id: int) -> HttpResponse:
    """Confirm (GET) or remove (POST) an organiser."""
    back = reverse("organisers:organisers", args=[shared_task.slug])
    user = User.objects.filter(pk=user_id, organised_tasks__shared_task=shared_task).first()
    if user is None:  # the second of a double click
        return redirect(back)
    name = user.get_username()
    if request.method == "GET":
        return ask_first(
            request,
            shared_task,
            title=f"Remove {name} from the organisers",
            text=f"{name} loses access to this shared task at once. What they did stays in the "
            "log. Other organisers can add them again.",
            button=f"Remove {name}",
            back=back,
        )
    remove_organiser(shared_task, user)
    messages.success(request, f"{name} was removed.")
    is_still_there = may_organise(shared_task, signed_in(request))
    return redirect(back if is_still_there else reverse("organisers:tasks"))


@task_page("GET")
def log(request: HttpRequest, shared_task: SharedTask) -> HttpResponse:
    """Show the log of a shared task, newest first."""
    paginator = Paginator(find_entries(shared_task), ENTRIES_PER_PAGE)
    entries = paginator.get_page(request.GET.get("page"))
    page = {"shared_task": shared_task, "entries": entries}
    return render(request, "sharedtasks/organisers/log.html", page)
