"""The pages with the data of a shared task: from releases, by upload, and its removal."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse

from surveys.sharedtasks.models import SharedTask, SharedTaskState, Track
from surveys.sharedtasks.parts import (
    add_part,
    list_parts,
    list_usable_releases,
    read_release,
    remove_part,
)
from surveys.sharedtasks.scoring.tracks import add_track, remove_track
from surveys.sharedtasks.web.organisers.access import ask_first, task_page
from surveys.sharedtasks.web.organisers.task_forms import (
    ReleasePartForm,
    TrackForm,
    UploadPartForm,
    name_releases,
)
from surveys.study.languages import name_language
from surveys.web.console.access import signed_in
from surveys.web.forms import attempt, posted, status_of


@task_page("GET")
def data(request: HttpRequest, shared_task: SharedTask) -> HttpResponse:
    """List the languages of a shared task."""
    page = {
        "shared_task": shared_task,
        "parts": list_parts(shared_task),
        "tracks": shared_task.tracks.all(),
        "is_listed": shared_task.state == SharedTaskState.DRAFT,
    }
    return render(request, "sharedtasks/organisers/data.html", page)


@task_page()
def add_subtask(request: HttpRequest, shared_task: SharedTask) -> HttpResponse:
    """Add a subtask."""
    form = TrackForm(posted(request), instance=Track())
    if attempt(form, lambda: add_track(shared_task, form.cleaned_data)):
        return redirect("organisers:data", shared_task.slug)
    page = {"shared_task": shared_task, "form": form}
    return render(request, "sharedtasks/organisers/add_track.html", page, status=status_of(form))


@task_page("POST")
def remove_subtask(request: HttpRequest, shared_task: SharedTask, number: int) -> HttpResponse:
    """Remove a subtask, which can be added again."""
    remove_track(get_object_or_404(shared_task.tracks, number=number))
    return redirect("organisers:data", shared_task.slug)


@task_page()
def add_release(request: HttpRequest, shared_task: SharedTask) -> HttpResponse:
    """Choose a release; a POST copies its data and gold."""
    releases = list_usable_releases(signed_in(request))
    form = ReleasePartForm(releases, posted(request))
    form.fields["release"].choices = name_releases(releases)  # type: ignore[attr-defined]

    def add() -> None:
        release = form.cleaned_data["release"]
        add_part(shared_task, release.study.language, read_release(release), release=release)

    if attempt(form, add):
        return redirect("organisers:data", shared_task.slug)
    page = {"shared_task": shared_task, "form": form, "has_releases": releases.exists()}
    return render(request, "sharedtasks/organisers/add_release.html", page, status=status_of(form))


@task_page()
def add_files(request: HttpRequest, shared_task: SharedTask) -> HttpResponse:
    """Upload the files of a language."""
    files = request.FILES if request.method == "POST" else None
    form = UploadPartForm(posted(request), files)

    def add() -> None:
        add_part(shared_task, form.cleaned_data["language"].strip(), form.read_files())

    if attempt(form, add):
        return redirect("organisers:data", shared_task.slug)
    page = {"shared_task": shared_task, "form": form}
    return render(request, "sharedtasks/organisers/add_files.html", page, status=status_of(form))


@task_page()
def remove_data(request: HttpRequest, shared_task: SharedTask, language: str) -> HttpResponse:
    """Confirm (GET) or remove (POST) the data of a language."""
    part = get_object_or_404(shared_task.parts, name=language)
    back = reverse("organisers:data", args=[shared_task.slug])
    name = name_language(language) or language
    if request.method == "GET":
        return ask_first(
            request,
            shared_task,
            title=f"Remove the {name} data",
            text="The copies of its files are deleted. A release that they come from stays as it "
            "is, so they can be added again.",
            button=f"Remove {name}",
            back=back,
        )
    remove_part(part)
    messages.success(request, f"The {name} data was removed.")
    return redirect(back)
