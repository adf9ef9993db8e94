"""Review of engagement answers: one at a time by keyboard, or whole questionnaires."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from django import forms
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render

from surveys.access.roles import Right, list_names
from surveys.models import Review, ReviewState, Study, Verdict, VerdictKind
from surveys.models.review import LONGEST_REASON, ReviewSettings
from surveys.models.study import write_point
from surveys.query_params import read_number
from surveys.review.agreement import describe_evidence, list_agreement
from surveys.review.effects import is_effect_shown, preview_effects, show_effect
from surveys.review.queue import (
    count_review_progress,
    has_failed,
    is_filing,
    request_filing,
    settings_of,
)
from surveys.review.verdicts import (
    claim_answers,
    configure_review,
    give_verdict,
    has_waiting,
    list_claimed,
    settle_dispute,
    undo_verdict,
)
from surveys.web.console.access import is_visitor, signed_in, study_page
from surveys.web.forms import SettingsForm, attempt, posted, status_of

MAX_IDS = 200
CARDS_PER_FETCH = 2
ROWS_A_PAGE = 50
DISPUTES_A_PAGE = 3


@dataclass(frozen=True)
class Card:
    """An answer or a questionnaire under review, with its evidence in words."""

    review: Review
    evidence: list[str]
    verdicts: Sequence[Verdict] = ()

    @property
    def rating(self) -> str:
        """Return the rating that counts, a point of the scale; "" for "cannot judge"."""
        valid = self.review.valid_answer
        return "" if valid is None or valid.rating is None else write_point(valid.rating)

    @property
    def rating_before(self) -> str:
        """Return the rating before a second look that changed it; "" if none did."""
        before = self.review.rating_before
        return "" if before is None else write_point(before)

    @property
    def sides(self) -> list[tuple[str, Any]]:
        """Return the texts that the annotator saw, each with its language."""
        response = self.review.response
        return response.context.sides(self.review.study) if response else []

    @property
    def verdict(self) -> Verdict | None:
        """Return the reviewer's own verdict, or None."""
        return next(iter(self.verdicts), None)


def list_cards(reviews: Iterable[Review], verdicts: Iterable[Verdict] = ()) -> list[Card]:
    """Return cards, each with its verdicts."""
    by_review: dict[int, list[Verdict]] = {}
    for verdict in verdicts:
        by_review.setdefault(verdict.review_id, []).append(verdict)
    return [Card(r, describe_evidence(r), by_review.get(r.pk, [])) for r in reviews]


class VerdictForm(forms.Form):
    """Verdict of a reviewer, with a reason if it is a rejection."""

    kind = forms.ChoiceField(
        choices=VerdictKind.choices,
        error_messages={
            "required": "Choose a verdict.",
            "invalid_choice": "Choose one of the three verdicts.",
        },
    )
    reason = forms.CharField(required=False, max_length=LONGEST_REASON)
    then = forms.ChoiceField(
        required=False, choices=[("queue", "queue"), ("questionnaire", "questionnaire")]
    )

    @property
    def decided(self) -> tuple[VerdictKind, str]:
        """Return the verdict and the reason of a valid form."""
        return VerdictKind(self.cleaned_data["kind"]), self.cleaned_data["reason"]


class ReviewSettingsForm(SettingsForm):
    """Share of answers that is reviewed, and share reviewed by two reviewers."""

    class Meta(SettingsForm.Meta):
        model = ReviewSettings
        fields = ("sample_percent", "double_percent")


def parse_ids(text: Any) -> list[int]:
    """Return the ids in a comma-separated list, ignoring everything that is not one."""
    numbers = map(read_number, str(text).split(",")[:MAX_IDS])
    return [number for number in numbers if number is not None]


@study_page(Right.READ, also=Right.LOOK)
def review(request: HttpRequest, study: Study) -> HttpResponse:
    """Show the answer that the reviewer has claimed; a POST claims the next one.

    Visitors are shown how far the review is.
    """
    if request.method == "POST":
        return _claim_next(request, study)
    page = _progress(study)
    page["has_failed"] = page["n_unfiled"] and has_failed(study)
    if not is_visitor(request):
        reviewer = signed_in(request)
        page |= {
            "cards": list_cards(list_claimed(study, reviewer, 1)),
            "has_waiting": has_waiting(study, reviewer),
            "latest": Verdict.objects.latest_of(study, reviewer.pk),
        }
    has_shown = page.get("cards") or page.get("has_waiting")
    page["is_reloading"] = page["is_filing"] and not has_shown
    return render(request, "console/review/queue.html", page)


@study_page(Right.READ, "POST")
def review_more(request: HttpRequest, study: Study) -> HttpResponse:
    """Claim the answers after those on the reviewer's page; return them as an HTML fragment."""
    exclude = frozenset(parse_ids(request.POST.get("exclude")))
    claimed = claim_answers(study, signed_in(request), CARDS_PER_FETCH, exclude=exclude)
    page = {"study": study, "cards": list_cards(claimed)}
    return render(request, "console/review/_cards.html", page)


@study_page(Right.READ, "POST")
def review_file(request: HttpRequest, study: Study) -> HttpResponse:
    """Start a job that adds new answers to the queue."""
    request_filing(study)
    is_list = request.POST.get("then") == "questionnaires"
    return redirect("console:review_questionnaires" if is_list else "console:review", study.slug)


@study_page(Right.READ, also=Right.LOOK)
def review_one(request: HttpRequest, study: Study, number: int) -> HttpResponse:
    """Show an answer or a whole questionnaire, and store a verdict on it."""
    subject = _find(study, number)
    form = VerdictForm(posted(request))
    if attempt(form, lambda: give_verdict(subject, signed_in(request), *form.decided)):
        return _respond_to_verdict(request, study, subject, form)
    return _show(request, study, subject, form)


@study_page(Right.READ, also=Right.LOOK)
def review_effect(request: HttpRequest, study: Study, number: int) -> HttpResponse:
    """Show what not using an answer or a questionnaire would change; a POST asks for it.

    Visitors, who give no verdicts, need not ask.
    """
    subject = _find(study, number)
    if request.method == "POST":
        show_effect(subject)
        return redirect("console:review_effect", study.slug, number)
    page = {"review": subject, **_progress(study)}
    if is_visitor(request) or is_effect_shown(subject, signed_in(request)):
        page["effect"] = preview_effects([subject])[subject.pk]
    return render(request, "console/review/effect.html", page)


@study_page(Right.READ, "POST")
def review_undo(request: HttpRequest, study: Study, number: int) -> HttpResponse:
    """Undo the reviewer's own verdict and show its subject again."""
    subject = _find(study, number)
    undo_verdict(subject, signed_in(request))
    if _is_fetched(request):
        return HttpResponse(status=204)
    return redirect("console:review_one", study.slug, number)


@study_page(Right.READ, "GET", also=Right.LOOK)
def review_questionnaires(request: HttpRequest, study: Study) -> HttpResponse:
    """List all questionnaires, strongest evidence first."""
    wholes = Review.objects.assignments(study).exclude(state=ReviewState.WITHDRAWN)
    ids = wholes.by_risk().values_list("pk", flat=True)  # from an index; then one page of rows
    rows = Paginator(list(ids), ROWS_A_PAGE).get_page(request.GET.get("page"))
    shown = Review.objects.filter(pk__in=list(rows)).by_risk().with_answers()
    page = {"rows": rows, "cards": list_cards(shown), **_progress(study)}
    return render(request, "console/review/questionnaires.html", page)


@study_page(Right.READ, "GET", also=Right.LOOK)
def review_disputes(request: HttpRequest, study: Study) -> HttpResponse:
    """List what two reviewers judged differently, for a third to decide."""
    return _show_disputes(request, study, VerdictForm())


@study_page(Right.READ, "POST")
def review_settle(request: HttpRequest, study: Study, number: int) -> HttpResponse:
    """Store a third reviewer's verdict, which decides a dispute."""
    subject = _find(study, number)
    form = VerdictForm(request.POST)
    if attempt(form, lambda: settle_dispute(subject, signed_in(request), *form.decided)):
        return redirect("console:review_disputes", study.slug)
    return _show_disputes(request, study, form)


@study_page(Right.READ, "GET", also=Right.LOOK)
def review_agreement(request: HttpRequest, study: Study) -> HttpResponse:
    """Show the agreement of each two reviewers."""
    agreements = list_agreement(study)
    ids = sorted({pk for agreement in agreements for pk in agreement.reviewers})
    numbered = {pk: f"Reviewer {number}" for number, pk in enumerate(ids, 1)}
    names = numbered if is_visitor(request) else list_names(ids)
    rows = [(tuple(names[pk] for pk in agreement.reviewers), agreement) for agreement in agreements]
    return render(request, "console/review/agreement.html", {"rows": rows, **_progress(study)})


@study_page(Right.WORK)
def review_settings(request: HttpRequest, study: Study) -> HttpResponse:
    """Show and store how much is reviewed, and how much by two reviewers."""
    form = ReviewSettingsForm(posted(request), instance=settings_of(study))
    if attempt(form, lambda: configure_review(study, **form.cleaned_data)):
        return redirect("console:review", study.slug)
    page = {"form": form, **_progress(study)}
    return render(request, "console/review/settings.html", page, status=status_of(form))


def _claim_next(request: HttpRequest, study: Study) -> HttpResponse:
    request_filing(study)
    claim_answers(study, signed_in(request), 1)
    return redirect("console:review", study.slug)


def _show(request: HttpRequest, study: Study, subject: Review, form: VerdictForm) -> HttpResponse:
    given = Verdict.objects.standing().filter(review=subject).order_by("opinion")
    shown = given if is_visitor(request) else given.filter(reviewer=signed_in(request).pk)
    (card,) = list_cards([subject], shown)
    page = {"card": card, "form": form, **_progress(study)}
    if subject.is_whole:
        answers = Review.objects.answers(study).filter(assignment=subject.assignment_id)
        page["answers"] = list_cards(answers.order_by("response__position").with_answers())
    name = "questionnaire" if subject.is_whole else "answer"
    return render(request, f"console/review/{name}.html", page, status=status_of(form))


def _show_disputes(request: HttpRequest, study: Study, form: VerdictForm) -> HttpResponse:
    disputes = Review.objects.disputes_for(study, signed_in(request).pk).by_risk()
    rows = Paginator(disputes.with_answers(), DISPUTES_A_PAGE).get_page(request.GET.get("page"))
    given = Verdict.objects.standing().filter(review__in=[review.pk for review in rows])
    cards = list_cards(list(rows), given.select_related("reviewer").order_by("opinion"))
    page = {"rows": rows, "cards": cards, "form": form, **_progress(study)}
    return render(request, "console/review/disputes.html", page, status=status_of(form))


def _respond_to_verdict(
    request: HttpRequest, study: Study, subject: Review, form: VerdictForm
) -> HttpResponse:
    if _is_fetched(request):  # the script shows the next answer, which is on the page already
        return HttpResponse(status=204)
    if form.cleaned_data["then"] == "queue":
        return _claim_next(request, study)
    return redirect("console:review_one", study.slug, subject.pk)


def _find(study: Study, number: int) -> Review:
    return get_object_or_404(Review.objects.with_answers(), study=study, pk=number)


def _progress(study: Study) -> dict[str, Any]:
    """Return the context that all pages of the review share."""
    progress = count_review_progress(study)
    is_busy = progress.n_unfiled > 0 and is_filing(study)
    if progress.n_unfiled and not is_busy:  # it may have ended since
        progress = count_review_progress(study)
    return {"study": study, "is_filing": is_busy, **progress._asdict()}


def _is_fetched(request: HttpRequest) -> bool:
    """Return whether the page's script made the request."""
    return request.headers.get("X-Requested-With") == "fetch"
