"""Searches in this site's corpora, for all pairs of a draft or for more texts of a pair."""

from pathlib import Path
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render

from surveys.access.roles import Right
from surveys.contexts.models import CandidatePair, CandidateSet, ContextChoice
from surveys.contexts.picking import MOST_CANDIDATES
from surveys.contexts.search.inputs import describe_rejections
from surveys.contexts.search.listing import list_corpora
from surveys.contexts.search.requests import (
    CANCELLED,
    cancel_search,
    find_searches,
    find_windows,
    request_more,
    request_search,
)
from surveys.contexts.search.searching import pick_by_scores as pick
from surveys.contexts.web.console.candidates import may_search
from surveys.contexts.web.console.search_forms import MoreForm, ScoresForm, SearchForm
from surveys.models import JobState, Run, Study
from surveys.results.runs import is_broken_off, retry_run
from surveys.web.console.access import signed_in, study_page
from surveys.web.forms import attempt, posted, status_of

BEGUN = "The search has begun; this page shows the progress."


@study_page(Right.WORK)
def search_contexts(request: HttpRequest, study: Study) -> HttpResponse:
    """Show the last search; a POST queues one for the candidates of all pairs."""
    refuse_others(study)
    searches = find_searches(study).filter(job__request__has_key="pairs")
    last, corpora = searches.first(), list_corpora()
    form = SearchForm(
        posted(request), request.FILES or None, corpora=corpora, language=study.language,
        initial=write_request(last), has_choices=has_choices(study),
    )  # fmt: skip

    def queue() -> None:
        request_search(study, form.search, signed_in(request))

    if attempt(form, queue):
        messages.success(request, BEGUN)
        return redirect("console:search_contexts", study.slug)
    page = {
        **describe_search(study, last),
        "form": form,
        "corpora": corpora,
        "stored": CandidateSet.objects.filter(study=study).first(),
    }
    return render(request, "contexts/search.html", page, status=status_of(form))


@study_page(Right.WORK, "POST")
def cancel(request: HttpRequest, study: Study, run_id: int) -> HttpResponse:
    """Cancel a search that is waiting or in progress."""
    search = get_object_or_404(find_searches(study), pk=run_id)
    cancel_search(search)
    messages.success(request, "The search is cancelled.")
    return _show(search)


@study_page(Right.WORK, "POST")
def retry(request: HttpRequest, study: Study, run_id: int) -> HttpResponse:
    """Retry a failed search."""
    return _show(retry_run(get_object_or_404(find_searches(study), pk=run_id)))


def _show(search: Run) -> HttpResponse:
    if number := search.request.get("pair"):
        return redirect("console:search_pair", search.study.slug, number)
    return redirect("console:search_contexts", search.study.slug)


@study_page(Right.WORK)
def search_pair(request: HttpRequest, study: Study, number: int) -> HttpResponse:
    """Show the last search for more texts of a pair; a POST queues one."""
    refuse_others(study)
    pair = get_object_or_404(
        CandidatePair.objects.select_related("study"), study=study, number=number
    )
    last = find_searches(study).filter(job__request__pair=number).first()
    corpora = list_corpora()
    n_left = MOST_CANDIDATES - pair.n_candidates
    initial = write_request(find_searches(study).first()) or {"corpora": list_sources(pair)}
    initial.pop("number", None)
    form = MoreForm(
        posted(request), corpora=corpora, language=study.language, initial=initial, n_left=n_left
    )

    def queue() -> None:
        sent = form.cleaned_data
        request_more(pair, sent["corpora"], sent["number"], sent["filters"], signed_in(request))

    if attempt(form, queue):
        messages.success(request, BEGUN)
        return redirect("console:search_pair", study.slug, number)
    page = {
        **describe_search(study, last),
        "form": form,
        "pair": pair,
        "n_left": n_left,
        "corpora": corpora,
    }
    return render(request, "contexts/search_pair.html", page, status=status_of(form))


@study_page(Right.WORK)
def pick_by_scores(request: HttpRequest, study: Study) -> HttpResponse:
    """Pick the candidates of a draft again, by scores of the windows that a search found."""
    refuse_others(study)
    search = find_windows(study)
    if search is None:
        raise Http404
    form = ScoresForm(posted(request), request.FILES or None, has_choices=has_choices(study))

    def store() -> None:
        fields = form.cleaned_data
        pick(
            search, form.read_picking(fields["file"]), signed_in(request),
            discards_choices=fields.get("discards_choices", False),
        )  # fmt: skip

    if attempt(form, store):
        messages.success(request, "The candidates are picked by the scores.")
        return redirect("console:contexts", study.slug)
    page = {
        "study": study,
        "search": search,
        "file_name": Path(search.archive.name or "").name,
        "form": form,
    }
    return render(request, "contexts/scores.html", page, status=status_of(form))


def refuse_others(study: Study) -> None:
    """Raise Http404 unless experts can search for candidates of a study."""
    if not may_search(study):
        raise Http404


def has_choices(study: Study) -> bool:
    return ContextChoice.objects.standing().filter(pair__study=study).exists()


def describe_search(study: Study, search: Run | None) -> dict[str, Any]:
    """Return what pages show of a search."""
    report = (search.report if search else None) or {}
    return {
        "study": study,
        "search": search,
        "n_without": report.get("n_pairs", 0) - report.get("n_found", 0),
        "rejections": describe_rejections(report.get("rejected", {})),
        "is_busy": search is not None and search.is_under_way,
        "is_cancelled": search is not None and search.error == CANCELLED,
        "may_retry": search is not None
        and (search.state == JobState.FAILED or is_broken_off(search)),
    }


def write_request(search: Run | None) -> dict[str, Any]:
    """Return what a search looked for, as initial values of a form."""
    if search is None:
        return {}
    request = search.request
    return {
        "corpora": request["corpora"],
        "listed": "\n".join(", ".join(words) for words in request.get("pairs", ())),
        "filters": "\n".join(request["filters"]),
        "licence": request["source"].get("licence", ""),
        "by_sent_id": request.get("by_sent_id", False),
        **{name: request[name] for name in ("number", "per_pair") if name in request},
    }


def list_sources(pair: CandidatePair) -> list[str]:
    """Return the corpora of this site that have the files from which candidates come."""
    files = set(pair.candidates.values_list("file", flat=True))
    return [
        corpus.name for corpus in list_corpora() if files & {path.name for path in corpus.paths}
    ]
