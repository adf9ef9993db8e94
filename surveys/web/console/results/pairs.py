"""The pairs of a run: a table of all, and a page for each."""

from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render

from surveys.access.roles import Right
from surveys.models import Study
from surveys.results.inspection.pair import describe_pair
from surveys.results.inspection.pairs import list_headings, load_pairs
from surveys.web.console.access import study_page
from surveys.web.console.results.release_forms import PairsForm
from surveys.web.console.results.runs import find_with_ledger
from surveys.web.forms import attempt, status_of

PAIRS_A_PAGE = 50


@study_page(Right.WORK, "GET", also=Right.LOOK)
def pairs(request: HttpRequest, study: Study, run_id: int) -> HttpResponse:
    """List the pairs of a run: searched, filtered and sorted."""
    run = find_with_ledger(request, study, run_id)
    table = load_pairs(run)
    form = PairsForm(request.GET, n_contexts=table.n_contexts)
    numbers: list[int] = []
    attempt(form, lambda: numbers.extend(table.select(form.filters(), study.ratings_per_context)))
    rows = Paginator(numbers, PAIRS_A_PAGE).get_page(request.GET.get("page"))
    page = {
        "study": study,
        "run": run,
        "form": form,
        "table": table,
        "rows": rows,
        "pairs": table.show(rows),
        "headings": list_headings(form.filters()["order"], table.headings),
        "query": form.query(),
    }
    return render(request, "console/results/pairs.html", page, status=status_of(form))


@study_page(Right.WORK, "GET", also=Right.LOOK)
def pair(request: HttpRequest, study: Study, run_id: int, row: int) -> HttpResponse:
    """Show a pair: its texts, its ratings and what happened to them."""
    run = find_with_ledger(request, study, run_id)
    table = load_pairs(run)
    if not 1 <= row <= len(table):
        raise Http404
    form = PairsForm(request.GET, n_contexts=table.n_contexts)
    around: list[int | None] = [None, None]

    def look_around() -> None:
        around[:] = table.neighbours(row, form.filters(), study.ratings_per_context)

    attempt(form, look_around)
    (shown,) = table.show([row])
    contexts = describe_pair(run, row, shown.position)
    page = {
        "study": study,
        "run": run,
        "table": table,
        "pair": shown,
        "contexts": contexts,
        "sides": [
            (side, context, context.context.sides(study))
            for side, context in zip(shown.sides, contexts, strict=True)
        ],
        "before": around[0],
        "after": around[1],
        "query": form.query(),
    }
    return render(request, "console/results/pair.html", page, status=status_of(form))
