"""The review of engagement answers: one at a time by keyboard, or whole questionnaires."""

from functools import partial
from typing import Any, cast

from django.contrib.auth.models import User
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from surveys.access.roles import Right, list_names
from surveys.models import Review, ReviewState, Study, Verdict
from surveys.review.agreement import list_agreement
from surveys.review.queue import count_unfiled, has_failed, settings_of
from surveys.review.verdicts import (
    claim_answers,
    configure_review,
    give_verdict,
    settle_dispute,
    undo_verdict,
)
from surveys.tasks import start_filing
from surveys.web.console.access import study_page
from surveys.web.console.forms import attempt
from surveys.web.console.review_cards import list_answer_rows, list_cards, list_verdict_cards
from surveys.web.console.review_forms import ReviewSettingsForm, VerdictForm, list_chosen

CARDS_AT_ONCE = 2  # what would change without each takes its time
ROWS_A_PAGE = 50
DISPUTES_A_PAGE = 5


@require_GET
@study_page(Right.READ)
def review(request: HttpRequest, study: Study) -> HttpResponse:
    """The next answer to be judged, riskiest first."""
    start_filing(study)
    found = claim_answers(study, _reviewer(request), 1)
    latest = Verdict.objects.latest_of(study, _reviewer(request).pk)
    page = {
        "cards": list_cards(found),
        "latest": latest,
        "has_failed": has_failed(study),
        **_progress(study),
    }
    return render(request, "console/review.html", page)


@require_GET
@study_page(Right.READ)
def review_more(request: HttpRequest, study: Study) -> HttpResponse:
    """The answers after those that the reviewer's page has, as a piece of the page."""
    besides = frozenset(list_chosen(request.GET.get("besides")))
    found = claim_answers(study, _reviewer(request), CARDS_AT_ONCE, besides=besides)
    page = {"study": study, "cards": list_cards(found)}
    return render(request, "console/_review_cards.html", page)


@require_http_methods(["GET", "POST"])
@study_page(Right.READ)
def review_one(request: HttpRequest, study: Study, number: int) -> HttpResponse:
    """A verdict on an answer or on a whole questionnaire."""
    subject = _find(study, number)
    form = VerdictForm(_sent(request))

    def judge() -> None:
        give_verdict(subject, _reviewer(request), *form.decided)

    if request.method == "POST" and attempt(form, judge):
        return _go_on(request, study, subject, form)
    return _show(request, study, subject, form)


@require_POST
@study_page(Right.READ)
def review_undo(request: HttpRequest, study: Study, number: int) -> HttpResponse:
    """Take back one's own verdict, and see what it was about again."""
    subject = _find(study, number)
    undo_verdict(subject, _reviewer(request))
    if _is_fetched(request):
        return HttpResponse(status=204)
    return redirect("console:review_one", study.slug, number)


@require_GET
@study_page(Right.READ)
def review_questionnaires(request: HttpRequest, study: Study) -> HttpResponse:
    """All questionnaires, those with most evidence first."""
    start_filing(study)
    found = Review.objects.assignments(study).exclude(state=ReviewState.WITHDRAWN)
    pages = Paginator(found.by_risk().with_answers(), ROWS_A_PAGE)
    rows = pages.get_page(request.GET.get("page"))
    page = {"rows": rows, "cards": list_answer_rows(rows), **_progress(study)}
    return render(request, "console/review_questionnaires.html", page)


@require_GET
@study_page(Right.READ)
def review_disputes(request: HttpRequest, study: Study) -> HttpResponse:
    """What two reviewers judged differently, for a third to decide."""
    return _show_disputes(request, study, VerdictForm())


@require_POST
@study_page(Right.READ)
def review_settle(request: HttpRequest, study: Study, number: int) -> HttpResponse:
    """A third opinion, which decides."""
    subject = _find(study, number)
    form = VerdictForm(request.POST)

    def settle() -> None:
        settle_dispute(subject, _reviewer(request), *form.decided)

    if attempt(form, settle):
        return redirect("console:review_disputes", study.slug)
    return _show_disputes(request, study, form)


@require_GET
@study_page(Right.READ)
def review_agreement(request: HttpRequest, study: Study) -> HttpResponse:
    """How far reviewers agree who judged the same, blind to each other."""
    found = list_agreement(study)
    names = list_names(who for agreement in found for who in agreement.reviewers)
    rows = [(tuple(names[who] for who in one.reviewers), one) for one in found]
    return render(request, "console/review_agreement.html", {"rows": rows, **_progress(study)})


@require_http_methods(["GET", "POST"])
@study_page(Right.WORK)
def review_settings(request: HttpRequest, study: Study) -> HttpResponse:
    """How much is judged, and by how many."""
    now = settings_of(study)
    chosen = {name: getattr(now, name) for name in ReviewSettingsForm.base_fields}
    form = ReviewSettingsForm(_sent(request), initial=chosen)
    configure = partial(configure_review, study)
    if request.method == "POST" and attempt(form, lambda: configure(**form.cleaned_data)):
        return redirect("console:review", study.slug)
    page = {"form": form, **_progress(study)}
    return render(request, "console/review_settings.html", page, status=_status(form))


def _show(request: HttpRequest, study: Study, subject: Review, form: VerdictForm) -> HttpResponse:
    mine = Verdict.objects.standing().filter(review=subject, reviewer=_reviewer(request).pk)
    (card,) = list_verdict_cards([subject], mine)
    siblings = Review.objects.filter(assignment=subject.assignment_id)
    page = {
        "card": card,
        "form": form,
        "whole": siblings.filter(response__isnull=True).first(),
        **_progress(study),
    }
    if subject.is_whole:
        answers = siblings.filter(response__isnull=False).order_by("response__position")
        page["answers"] = list_answer_rows(answers.with_answers())
    name = "questionnaire" if subject.is_whole else "answer"
    return render(request, f"console/review_{name}.html", page, status=_status(form))


def _show_disputes(request: HttpRequest, study: Study, form: VerdictForm) -> HttpResponse:
    found = Review.objects.disputes_for(study, _reviewer(request).pk).by_risk()
    rows = Paginator(found.with_answers(), DISPUTES_A_PAGE).get_page(request.GET.get("page"))
    given = Verdict.objects.standing().filter(review__in=[one.pk for one in rows])
    cards = list_verdict_cards(list(rows), given.select_related("reviewer").order_by("opinion"))
    page = {"rows": rows, "cards": cards, "form": form, **_progress(study)}
    return render(request, "console/review_disputes.html", page, status=_status(form))


def _go_on(request: HttpRequest, study: Study, subject: Review, form: VerdictForm) -> HttpResponse:
    if _is_fetched(request):
        return HttpResponse(status=204)
    if form.cleaned_data["then"] == "queue":
        return redirect("console:review", study.slug)
    return redirect("console:review_one", study.slug, subject.pk)


def _reviewer(request: HttpRequest) -> User:
    """Whoever is signed in, as everybody is who comes this far."""
    return cast(User, request.user)


def _find(study: Study, number: int) -> Review:
    return get_object_or_404(Review.objects.with_answers(), study=study, pk=number)


def _progress(study: Study) -> dict[str, Any]:
    counts = Review.objects.count_states(study)
    return {
        "study": study,
        "n_open": counts[ReviewState.OPEN],
        "n_judged": counts[ReviewState.DECIDED] + counts[ReviewState.COVERED],
        "n_disputed": Review.objects.filter(study=study, state=ReviewState.DISPUTED).count(),
        "n_not_drawn": counts[ReviewState.NOT_DRAWN],
        "n_unfiled": count_unfiled(study),
    }


def _sent(request: HttpRequest) -> Any:
    """What a form was filled in with, if only with nothing; None for a page that is asked for."""
    return request.POST if request.method == "POST" else None


def _status(form: Any) -> int:
    return 422 if form.errors else 200


def _is_fetched(request: HttpRequest) -> bool:
    """Whether the page's own script asks, which shows the next answer by itself."""
    return request.headers.get("X-Requested-With") == "fetch"
