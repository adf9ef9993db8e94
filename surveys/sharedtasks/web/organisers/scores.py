"""The pages with scorings and boards: correct, replace, finalise, publish, and take back."""

from collections.abc import Sequence
from typing import Any

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse

from surveys.jobs.kinds import find_kind
from surveys.sharedtasks.final_results.boards import request_finalising
from surveys.sharedtasks.final_results.eligibility import (
    UnrankedSubmission,
    list_obstacles,
    list_unranked,
)
from surveys.sharedtasks.final_results.publishing import publish, retract
from surveys.sharedtasks.final_results.renaming import request_archive
from surveys.sharedtasks.models import Scoring, ScoringState, SharedTask, SharedTaskState, TaskPart
from surveys.sharedtasks.scoring.corrections import (
    choose_breaches,
    find_corrections,
    write_correction,
)
from surveys.sharedtasks.scoring.rescoring import (
    discard_scoring,
    find_unused,
    list_moved_ranks,
    repeat_rescoring,
    request_rescoring,
    use_scoring,
)
from surveys.sharedtasks.tasks import find_jobs, is_busy
from surveys.sharedtasks.web.organisers.access import ask_first, now_of, show_form, task_page
from surveys.sharedtasks.web.organisers.team_forms import LONGEST_REASON, ReasonForm
from surveys.study.languages import name_language
from surveys.web.console.access import Page, signed_in
from surveys.web.forms import attempt, posted, status_of

MOST_SHOWN = 500  # ranks that move
DECISIONS = {
    "use": (use_scoring, "The scores were replaced."),
    "discard": (discard_scoring, "The scoring was discarded."),
}


class CorrectionForm(forms.Form):
    """Corrected gold of one or more languages, and the reason."""

    reason = forms.CharField(
        max_length=LONGEST_REASON, help_text="Boards show it, with the date of the correction."
    )

    def __init__(self, parts: Sequence[TaskPart], *sent: Any) -> None:
        super().__init__(*sent)
        self.languages = [part.name for part in parts]
        for language in self.languages:
            self.fields[f"gold_{language}"] = forms.FileField(
                required=False, label=f"Corrected gold, {name_language(language) or language}"
            )

    def read_gold(self) -> dict[str, bytes]:
        """Return the files that were sent, by language."""
        sent = {tag: self.cleaned_data.get(f"gold_{tag}") for tag in self.languages}
        return {language: file.read() for language, file in sent.items() if file}


class FinaliseForm(forms.Form):
    """The results that will not be ranked; an organiser confirms each result."""

    settled = forms.MultipleChoiceField(
        required=False,
        widget=forms.CheckboxSelectMultiple,
        label="These results will not be ranked. Tick each one to confirm it",
    )

    def __init__(self, unranked: Sequence[UnrankedSubmission], *sent: Any) -> None:
        super().__init__(*sent)
        field: Any = self.fields["settled"]
        field.choices = [(row.key, _name(row)) for row in unranked]
        if not unranked:
            del self.fields["settled"]


def _name(row: UnrankedSubmission) -> str:
    counted = row.counted
    where = f"{counted.phase.name}, subtask {counted.subtask}"
    return f"{counted.team.name}, {where}: {row.reason}"


@task_page("GET")
def scores(request: HttpRequest, shared_task: SharedTask) -> HttpResponse:
    """Show scorings, the job in progress, and the results that final boards will not rank."""
    return _show(request, shared_task, _make_form(request, shared_task))


@task_page("POST")
def finalise(request: HttpRequest, shared_task: SharedTask) -> HttpResponse:
    """Have the final boards made in the background."""
    form = _make_form(request, shared_task)

    def start() -> None:
        request_finalising(
            shared_task,
            settled=form.cleaned_data.get("settled", []),
            now=now_of(request),
            by=signed_in(request),
        )

    if attempt(form, start):
        messages.success(request, "The boards are being made; this page shows the progress.")
        return redirect("organisers:scores", shared_task.slug)
    return _show(request, shared_task, form)


@task_page()
def correct(request: HttpRequest, shared_task: SharedTask) -> HttpResponse:
    """Upload corrected gold; all submissions are then scored again in the background."""
    files = request.FILES if request.method == "POST" else None
    form = CorrectionForm(list(shared_task.parts.all()), posted(request), files)

    def start() -> None:
        request_rescoring(
            shared_task, form.cleaned_data["reason"], gold=form.read_gold(), by=signed_in(request)
        )

    if attempt(form, start):
        messages.success(request, "All submissions are being scored again.")
        return redirect("organisers:scores", shared_task.slug)
    page = {"shared_task": shared_task, "form": form}
    return render(request, "sharedtasks/organisers/correct.html", page, status=status_of(form))


@task_page("GET")
def scoring(request: HttpRequest, shared_task: SharedTask, number: int) -> HttpResponse:
    """Show the scores and ranks that change if a scoring becomes current."""
    scoring = _find(shared_task, number)
    is_open = scoring.state == ScoringState.READY
    moved = list_moved_ranks(scoring) if is_open else []
    page = {
        "shared_task": shared_task,
        "scoring": scoring,
        "moved": moved[:MOST_SHOWN],
        "n_moved": len(moved),
        "is_open": is_open,
        "can_repeat": scoring.state == ScoringState.COMPUTING and not is_busy(shared_task),
    }
    return render(request, "sharedtasks/organisers/scoring.html", page)


def decision_page(name: str) -> Page:
    """Return the page that lets a computed scoring replace the current one, or discards it."""
    act, words = DECISIONS[name]

    @task_page("POST")
    def decide(request: HttpRequest, shared_task: SharedTask, number: int) -> HttpResponse:
        act(_find(shared_task, number))
        messages.success(request, words)
        return redirect("organisers:scores", shared_task.slug)

    return decide


@task_page("POST")
def repeat(request: HttpRequest, shared_task: SharedTask, number: int) -> HttpResponse:
    """Go on with the computing of a scoring whose job failed."""
    repeat_rescoring(_find(shared_task, number), signed_in(request))
    return redirect("organisers:scores", shared_task.slug)


@task_page("POST")
def make_archive(request: HttpRequest, shared_task: SharedTask) -> HttpResponse:
    """Have a missing archive made in the background."""
    request_archive(shared_task, signed_in(request))
    return redirect("organisers:scores", shared_task.slug)


@task_page()
def publish_results(request: HttpRequest, shared_task: SharedTask) -> HttpResponse:
    """Ask whether to publish (GET), or publish boards, gold and archive (POST)."""
    back = reverse("organisers:scores", args=[shared_task.slug])
    if request.method == "GET":
        return ask_first(
            request,
            shared_task,
            title="Publish the results?",
            text="Everybody can then read the final boards, the gold, and the archive with the "
            "files of teams that agreed.\n\nYou can take them back, but readers may have kept a "
            "copy: the gold is no longer hidden.",
            button="Publish the results",
            back=back,
        )
    publish(shared_task, now_of(request))
    messages.success(request, "The results are public.")
    return redirect(back)


@task_page()
def take_back(request: HttpRequest, shared_task: SharedTask) -> HttpResponse:
    """Take back what was published, with a reason."""
    form = ReasonForm(posted(request))
    form.fields["reason"].help_text = "It stays in the log."
    if attempt(form, lambda: retract(shared_task, form.cleaned_data["reason"], now_of(request))):
        messages.success(request, "The results were taken back; their address says so.")
        return redirect("organisers:scores", shared_task.slug)
    return show_form(
        request,
        shared_task,
        form,
        title="Take back the results",
        text="Boards, gold and archive are no longer public, and their address says so. "
        "Readers may have kept a copy.",
        button="Take them back",
    )


def _make_form(request: HttpRequest, shared_task: SharedTask) -> FinaliseForm:
    is_over = shared_task.state in (SharedTaskState.OPEN, SharedTaskState.FINALISED)
    unranked = list_unranked(shared_task, now_of(request)) if is_over else []
    return FinaliseForm(unranked, posted(request))


def _show(request: HttpRequest, shared_task: SharedTask, form: FinaliseForm) -> HttpResponse:
    now = now_of(request)
    job = find_jobs(shared_task).first()
    corrections = find_corrections(shared_task)
    page = {
        "shared_task": shared_task,
        "form": form,
        "scorings": shared_task.scorings.order_by("-number"),
        "unused": find_unused(shared_task),
        "job": job,
        "job_label": find_kind(job.kind).label if job else "",
        "is_busy": job is not None and job.is_under_way,
        "corrections": [(correction, write_correction(correction)) for correction in corrections],
        "is_broken": bool(choose_breaches(shared_task, corrections)),
        "obstacles": list_obstacles(shared_task, now),
        "published": shared_task.published_boards.defer("table", "order"),
        "boards": shared_task.phases.filter(frozen_boards__isnull=False).distinct(),
    }
    return render(request, "sharedtasks/organisers/scores.html", page, status=status_of(form))


def _find(shared_task: SharedTask, number: int) -> Scoring:
    scorings = Scoring.objects.select_related("shared_task")
    return get_object_or_404(scorings, shared_task=shared_task, number=number)
