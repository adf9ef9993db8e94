"""The step Results: comparison of the study's ratings with another collection."""

from typing import Any

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import FileResponse, Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.gzip import gzip_page

from surveys.access.roles import Right
from surveys.models import ImportedCollection, JobState, Run, Study
from surveys.results.comparisons.candidates import (
    count_withdrawn,
    list_comparisons,
    visible_comparisons,
)
from surveys.results.comparisons.comparing import request_comparison
from surveys.results.comparisons.importing import delete_collection, import_collection
from surveys.results.comparisons.published import import_published
from surveys.results.comparisons.reading import read_page, read_result
from surveys.results.inspection.plots import FORMS, read_plot
from surveys.results.ratings_table import refuse_translations
from surveys.results.runs import is_broken_off, retry_run
from surveys.web.console.access import signed_in, study_page
from surveys.web.console.confirmation import ask_first
from surveys.web.console.results.comparison_forms import (
    CollectionForm,
    ComparisonForm,
    PublishedForm,
)
from surveys.web.forms import attempt, posted, status_of
from surveys.web.rendering.sandboxed import add_way_back, answer_sandboxed

COMPARISONS_A_PAGE = 25


@study_page(Right.WORK)
def comparisons(request: HttpRequest, study: Study) -> HttpResponse:
    """List the comparisons and the imported collections; a POST requests a comparison."""
    refuse_translations(study)
    user = signed_in(request)
    form = ComparisonForm(study, user, posted(request))

    def compare() -> None:
        request_comparison(study, form.read_request(), user)

    if attempt(form, compare):
        messages.success(request, "The comparison has started; this page shows the progress.")
        return redirect("console:comparisons", study.slug)
    runs = Paginator(list_comparisons(study, user), COMPARISONS_A_PAGE).get_page(
        request.GET.get("page")
    )
    page = {
        "study": study,
        "runs": runs,
        "form": form,
        "collections": _list_collections(study),
        "is_busy": any(run.is_under_way for run in runs),
    }
    return render(request, "console/results/comparisons.html", page, status=status_of(form))


@study_page(Right.WORK, "GET")
def comparison(request: HttpRequest, study: Study, run_id: int) -> HttpResponse:
    """Show the progress and the result of a comparison."""
    run = _find(request, study, run_id)
    page: dict[str, Any] = {
        "study": study,
        "run": run,
        "is_broken_off": is_broken_off(run),
        "n_withdrawn": count_withdrawn(run),
    }
    if run.state == JobState.DONE:
        page["result"] = read_result(run)
    return render(request, "console/results/comparison.html", page)


@study_page(Right.WORK, "GET")
def comparison_report(request: HttpRequest, study: Study, run_id: int) -> HttpResponse:
    """Return the page of a comparison as the library wrote it, with a way back, sandboxed."""
    run = _find_done(request, study, run_id)
    page = read_page(run)
    if page is None:
        raise Http404
    address = reverse("console:comparison", args=[study.slug, run_id])
    return answer_sandboxed(add_way_back(page, address, run.name))


@study_page(Right.WORK, "GET")
def comparison_files(request: HttpRequest, study: Study, run_id: int) -> HttpResponseBase:
    """Download all files of a comparison."""
    archive = _find_done(request, study, run_id).archive
    name = str(archive).rpartition("/")[2]
    return FileResponse(archive.open("rb"), as_attachment=True, filename=name)


@gzip_page  # an image repeats nothing of the request and holds no secret
@study_page(Right.WORK, "GET")
def comparison_plot(
    request: HttpRequest, study: Study, run_id: int, plot: str, form: str
) -> HttpResponse:
    """Return a plot of a comparison as an image, or its data."""
    run = _find_done(request, study, run_id)
    content = read_plot(run, plot, form)
    if content is None:
        raise Http404
    answer = HttpResponse(content, content_type=FORMS[form])
    name = f"{study.slug}-comparison-{run.number}-{plot}.{form}"
    answer["Content-Disposition"] = f'inline; filename="{name}"'
    return answer


@study_page(Right.WORK, "POST")
def retry_comparison(request: HttpRequest, study: Study, run_id: int) -> HttpResponse:
    """Retry a failed comparison."""
    retry_run(_find(request, study, run_id))
    return redirect("console:comparison", study.slug, run_id)


@study_page(Right.WORK)
def new_collection(request: HttpRequest, study: Study) -> HttpResponse:
    """Import a file of ratings to compare the study with."""
    refuse_translations(study)
    if study.kind.n_contexts == 1:
        return _new_set(request, study)
    form = CollectionForm(posted(request), request.FILES or None, initial={"kind": "people"})

    def store() -> None:
        made = import_collection(study, form.uploaded(), signed_in(request))
        messages.success(request, f"{made.name} is imported. It can be compared with the study.")

    if attempt(form, store):
        return redirect("console:comparisons", study.slug)
    page = {"study": study, "form": form}
    return render(request, "console/results/new_collection.html", page, status=status_of(form))


@study_page(Right.WORK)
def remove_collection(request: HttpRequest, study: Study, number: int) -> HttpResponse:
    """Delete an imported collection, once that is confirmed."""
    collection = get_object_or_404(ImportedCollection, study=study, number=number)
    back = reverse("console:comparisons", args=[study.slug])
    if request.method == "POST":
        delete_collection(collection)
        messages.success(request, f"{collection.name} is deleted.")
        return redirect(back)
    return ask_first(
        request,
        study,
        title=f"Delete {collection.name}?",
        text="Its ratings are deleted. Comparisons that were made with it stay.",
        button="Delete",
        back=back,
    )


def _new_set(request: HttpRequest, study: Study) -> HttpResponse:
    """Import a published data set to compare the study with."""
    form = PublishedForm(posted(request), request.FILES or None, initial={"layout": study.layout})

    def store() -> None:
        name, layout = form.cleaned_data["name"], form.cleaned_data["layout"]
        made = import_published(study, name, layout, form.read_files(), signed_in(request))
        messages.success(request, f"{made.name} is imported. It can be compared with the study.")

    if attempt(form, store):
        return redirect("console:comparisons", study.slug)
    page = {"study": study, "form": form}
    return render(request, "console/results/new_set.html", page, status=status_of(form))


def _list_collections(study: Study) -> list[ImportedCollection]:
    collections = ImportedCollection.objects.filter(study=study).select_related("imported_by")
    return list(collections.defer("ratings"))


def _find(request: HttpRequest, study: Study, run_id: int) -> Run:
    """Return a comparison that the user may see, or answer 404."""
    comparisons = visible_comparisons(study, signed_in(request))
    return get_object_or_404(comparisons.select_related("job__requested_by", "study"), pk=run_id)


def _find_done(request: HttpRequest, study: Study, run_id: int) -> Run:
    run = _find(request, study, run_id)
    if run.state != JobState.DONE:
        raise Http404
    return run
