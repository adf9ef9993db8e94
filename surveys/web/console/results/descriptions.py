"""The description of a study for its releases: a form, and its TOML."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse

from surveys.access.roles import Right
from surveys.models import Study
from surveys.results.entries.description import (
    count_written,
    list_lost_comments,
    list_progress,
    read_written,
    store_written,
)
from surveys.results.ratings_table import refuse_translations
from surveys.web.console.access import study_page
from surveys.web.console.results.description_forms import DescriptionForm, DescriptionTextForm
from surveys.web.console.results.release_forms import query_of_run
from surveys.web.forms import attempt, posted, status_of

SAVED = "The description is saved. {n_written} of {n_asked} entries are written."


@study_page(Right.WORK)
def description(request: HttpRequest, study: Study) -> HttpResponse:
    """Show the form of the description; a POST saves it, complete or not."""
    refuse_translations(study)
    written = read_written(study)
    form = DescriptionForm(posted(request), study=study, written=written)
    if attempt(form, lambda: store_written(study, form.body)):
        return _answer_saved(request, study)
    text = DescriptionTextForm(study=study, written=written)
    return _show(request, study, form, text)


@study_page(Right.WORK)
def description_text(request: HttpRequest, study: Study) -> HttpResponse:
    """Show the same page with the TOML; a POST saves it."""
    refuse_translations(study)
    written = read_written(study)
    text = DescriptionTextForm(posted(request), study=study, written=written)
    if attempt(text, lambda: store_written(study, text.cleaned_data["body"])):
        return _answer_saved(request, study)
    return _show(request, study, DescriptionForm(study=study, written=written), text)


def _answer_saved(request: HttpRequest, study: Study) -> HttpResponse:
    progress = list_progress(study, read_written(study))
    messages.success(request, SAVED.format(**count_written(progress)))
    of_run = query_of_run(request)
    if request.POST.get("then") == "release":
        return redirect(reverse("console:release", args=[study.slug]) + of_run)
    address = reverse("console:description", args=[study.slug]) + of_run
    return redirect(f"{address}#authors" if request.POST.get("then") == "author" else address)


def _show(
    request: HttpRequest, study: Study, form: DescriptionForm, text: DescriptionTextForm
) -> HttpResponse:
    page = {
        "study": study,
        "form": form,
        "text": text,
        "of_run": query_of_run(request),
        "lost": list_lost_comments(form.written),
        **count_written(form.progress),
    }
    sent = text if text.is_bound else form
    return render(request, "console/results/description.html", page, status=status_of(sent))
