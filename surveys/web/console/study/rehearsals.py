"""Pages that rehearse a study with scripted annotators, and delete the rehearsal."""

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse

from surveys.access.roles import Right
from surveys.errors import RunRefused
from surveys.models import Study
from surveys.participation.assignments import list_places_left
from surveys.rehearsal.deletion import Scripted, count_scripted, delete_scripted
from surveys.results.runs import request_rehearsal
from surveys.web.console.access import signed_in, study_page
from surveys.web.console.confirmation import ask_first
from surveys.web.forms import attempt, posted, status_of

FEW = 10  # annotators proposed


class RehearsalForm(forms.Form):
    """The number of scripted annotators."""

    count = forms.IntegerField(min_value=1, max_value=10_000, label="Number of scripted annotators")


@study_page(Right.WORK)
def rehearsal(request: HttpRequest, study: Study) -> HttpResponse:
    """Show what is scripted in a study; a POST queues a rehearsal."""
    n_places = sum(list_places_left(study).values())
    form = RehearsalForm(posted(request), initial={"count": min(n_places, FEW)})
    form.fields["count"].help_text = f"{n_places:,} places are free."

    def queue() -> None:
        request_rehearsal(study, form.cleaned_data["count"], signed_in(request))

    if attempt(form, queue):
        messages.success(request, "The rehearsal is in progress; this page shows how far it is.")
        return redirect("console:jobs", study.slug)
    page = {"study": study, "form": form, "n_places": n_places, "scripted": count_scripted(study)}
    return render(request, "console/study/rehearsal.html", page, status=status_of(form))


@study_page(Right.OWN)
def delete_rehearsal(request: HttpRequest, study: Study) -> HttpResponse:
    """Confirm (GET) or delete (POST) everything scripted in a study."""
    back = reverse("console:rehearsal", args=[study.slug])
    if request.method == "GET":
        return ask_first(
            request,
            study,
            title="Delete the rehearsal",
            text=_describe(count_scripted(study)),
            button="Delete everything scripted",
            back=back,
        )
    try:
        scripted = delete_scripted(study)
    except RunRefused as error:
        messages.error(request, str(error))
    else:
        messages.success(request, f"Deleted: {_list(scripted)}.")
    return redirect(back)


def _describe(counts: Scripted) -> str:
    ledger = (
        f"\n\nKept with the ledger of its batch: {counts.paid:,} scripted workers of the simulator."
        if counts.paid
        else ""
    )
    return (
        f"This deletes {_list(counts)}. Runs and releases are deleted if they contain any scripted "
        "rating, also if they contain ratings of people. All exported files of answers are "
        "deleted, too.\n\nThe places of the scripted annotators are free again. Answers of people, "
        f"settings and the log stay; the log keeps these numbers.{ledger}\n\nThis cannot be undone."
    )


def _list(scripted: Scripted) -> str:
    parts = [
        f"{n:,} {noun if n == 1 else f'{noun}s'}"
        for n, noun in (
            (scripted.annotators, "scripted annotator"),
            (scripted.answers, "answer"),
            (scripted.verdicts, "verdict"),
            (scripted.runs, "run"),
            (scripted.releases, "release"),
        )
    ]
    return f"{', '.join(parts[:-1])} and {parts[-1]}"
