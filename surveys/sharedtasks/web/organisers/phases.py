"""The pages with the phases of a shared task."""

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse

from surveys.sharedtasks.kits.codabench_bundle import (
    list_bundled,
    list_shortened,
    make_bundle,
    may_read_gold,
)
from surveys.sharedtasks.kits.kit import name_kit, pack_kit_for_organisers
from surveys.sharedtasks.models import Phase, SharedTask, SharedTaskState
from surveys.sharedtasks.phases import (
    add_gwsc_phases,
    add_phase,
    change_phase,
    list_early_scores,
    remove_phase,
)
from surveys.sharedtasks.web.organisers.access import ask_first, now_of, task_page
from surveys.sharedtasks.web.organisers.task_forms import EndForm, GwscForm, PhaseForm
from surveys.web.console.access import signed_in
from surveys.web.forms import attempt, posted, status_of
from surveys.web.kits import send_kit


@task_page("GET")
def phases(request: HttpRequest, shared_task: SharedTask) -> HttpResponse:
    """List the phases of a shared task, in the order of their beginnings."""
    phases = shared_task.phases.all()
    page = {
        "shared_task": shared_task,
        "phases": phases,
        "early": list_early_scores(phases),
        "now": now_of(request),
        "is_draft": shared_task.state == SharedTaskState.DRAFT,
    }
    return render(request, "sharedtasks/organisers/phases.html", page)


@task_page()
def add(request: HttpRequest, shared_task: SharedTask) -> HttpResponse:
    """Add a phase."""
    form = PhaseForm(shared_task, posted(request))
    if attempt(form, lambda: add_phase(shared_task, **form.read(), now=now_of(request))):
        return redirect("organisers:phases", shared_task.slug)
    return _show(request, shared_task, form, "Add a phase", "Add the phase")


@task_page()
def gwsc(request: HttpRequest, shared_task: SharedTask) -> HttpResponse:
    """Add the three phases of GWSC."""
    form = GwscForm(shared_task, posted(request))
    if attempt(
        form, lambda: add_gwsc_phases(shared_task, **form.cleaned_data, now=now_of(request))
    ):
        return redirect("organisers:phases", shared_task.slug)
    return _show(request, shared_task, form, "Phases of GWSC", "Add the three phases")


@task_page()
def phase(request: HttpRequest, shared_task: SharedTask, name: str) -> HttpResponse:
    """Change the rules of a phase; of one that has begun, its end alone."""
    phase = _find(shared_task, name)
    is_begun = shared_task.state != SharedTaskState.DRAFT and phase.has_begun(now_of(request))
    make = EndForm if is_begun else PhaseForm
    form = make(shared_task, posted(request), phase=phase)
    if attempt(form, lambda: change_phase(phase, **form.read(), now=now_of(request))):
        messages.success(request, f"The phase {name} was changed.")
        return redirect("organisers:phases", shared_task.slug)
    title = f"Move the end of {name}" if is_begun else f"Phase {name}"
    return _show(request, shared_task, form, title, "Save", phase)


@task_page()
def remove(request: HttpRequest, shared_task: SharedTask, name: str) -> HttpResponse:
    """Confirm (GET) or remove (POST) a phase that has not begun."""
    phase = _find(shared_task, name)
    back = reverse("organisers:phases", args=[shared_task.slug])
    if request.method == "GET":
        return ask_first(
            request,
            shared_task,
            title=f"Remove the phase {name}",
            text="No team has submitted anything in it. Your own trial runs and baselines are "
            "deleted.",
            button="Remove the phase",
            back=back,
        )
    remove_phase(phase, now=now_of(request))
    messages.success(request, f"The phase {name} was removed.")
    return redirect(back)


@task_page("GET")
def kit(request: HttpRequest, shared_task: SharedTask, name: str) -> HttpResponse:
    """Download the kit of a phase, also before it begins: organisers look at it first."""
    return send_kit(pack_kit_for_organisers(_find(shared_task, name)), name_kit(shared_task, name))


@task_page("GET")
def codabench(request: HttpRequest, shared_task: SharedTask) -> HttpResponse:
    """Offer the bundle of each subtask, and say what Codabench does otherwise."""
    page = {
        "shared_task": shared_task,
        "subtasks": list_bundled(shared_task),
        "shortened": list_shortened(shared_task),
        "may_read_gold": may_read_gold(shared_task, signed_in(request)),
    }
    return render(request, "sharedtasks/organisers/codabench.html", page)


@task_page("POST")
def bundle(request: HttpRequest, shared_task: SharedTask, subtask: int) -> HttpResponse:
    """Download the bundle of a subtask, which is in the log: it holds the gold."""
    if subtask not in list_bundled(shared_task):
        raise Http404
    content = make_bundle(shared_task, subtask, signed_in(request))
    return send_kit(content, f"{shared_task.slug}_codabench_{subtask}")


def _find(shared_task: SharedTask, name: str) -> Phase:
    return get_object_or_404(
        Phase.objects.select_related("shared_task"), shared_task=shared_task, name=name
    )


def _show(
    request: HttpRequest,
    shared_task: SharedTask,
    form: PhaseForm | EndForm | GwscForm,
    title: str,
    button: str,
    phase: Phase | None = None,
) -> HttpResponse:
    page = {
        "shared_task": shared_task, "form": form, "title": title, "button": button, "phase": phase,
    }  # fmt: skip
    return render(request, "sharedtasks/organisers/phase.html", page, status=status_of(form))
