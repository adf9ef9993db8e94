"""Decisions on items without a majority."""

import hashlib
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from django import forms
from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render

from surveys.access.roles import Right
from surveys.models import Adjudication, Context, Response, Study
from surveys.models.participation import LONGEST_WRITTEN
from surveys.models.review import LONGEST_REASON
from surveys.models.study import write_point
from surveys.results.ratings_table import Answer, tally_answers
from surveys.review.adjudication import decide, find_undecided
from surveys.web.console.access import signed_in, study_page
from surveys.web.forms import attempt, posted, status_of
from surveys.web.rendering.context_preview import show_item
from surveys.web.rendering.study_page import StudyDisplay, preview_display

ROWS_A_PAGE = 50
OTHER = "other"
SHOWN = ("author", "response__annotator", "context__pair")


class DecisionForm(forms.Form):
    """An annotator's answer, by the id of the response, or another one; and why.

    The other answer is a point of the scale ("=1"), or two translations. `replaces`: the standing
    decision that was shown.
    """

    answer = forms.ChoiceField(
        label="The answer that counts", widget=forms.RadioSelect,
        error_messages={"required": "Choose an answer."},
    )  # fmt: skip
    written1 = forms.CharField(required=False, max_length=LONGEST_WRITTEN)
    written2 = forms.CharField(required=False, max_length=LONGEST_WRITTEN)
    reason = forms.CharField(
        max_length=LONGEST_REASON, widget=forms.Textarea({"rows": 3}),
        error_messages={"required": "Give a reason: it is kept with the decision."},
    )  # fmt: skip

    replaces = forms.IntegerField(required=False, min_value=1, widget=forms.HiddenInput)

    def __init__(
        self, data: Any = None, *, choices: list[tuple[str, str]], words: tuple[str, str] | None
    ) -> None:
        """`words` are those to translate, if the study asks for that."""
        super().__init__(data)
        if words:
            choices = [*choices, (OTHER, "Another translation:")]
            for name, word in zip(("written1", "written2"), words, strict=True):
                self.fields[name].label = word
        else:
            del self.fields["written1"], self.fields["written2"]
        self.fields["answer"].choices = choices  # type: ignore[attr-defined]

    @property
    def reasoned(self) -> dict[str, Any]:
        """Return the reason of a valid form, and the decision that it replaces."""
        return {name: self.cleaned_data[name] for name in ("reason", "replaces")}

    @property
    def given_answer(self) -> int | Answer:
        """Return the answer of a valid form as `decide` takes it."""
        chosen: str = self.cleaned_data["answer"]
        if chosen == OTHER:
            return self.cleaned_data["written1"], self.cleaned_data["written2"]
        return Decimal(chosen[1:]) if chosen.startswith("=") else int(chosen)


@study_page(Right.READ, "GET")
def adjudication(request: HttpRequest, study: Study) -> HttpResponse:
    """List the items that are open, and the decisions."""
    items = Context.objects.filter(pk__in=find_undecided(study)).select_related("pair")
    decisions = Adjudication.objects.standing(study).order_by("-pk")
    rows = Paginator(decisions.select_related(*SHOWN), ROWS_A_PAGE).get_page(
        request.GET.get("page")
    )
    face = preview_display(study)
    listed = [(decision, write_answer(face, decision.given)) for decision in rows]
    page = {
        "study": study, "items": items, "rows": rows, "decisions": listed,
        "translated": study.collects_translations and study.language2,
    }  # fmt: skip
    return render(request, "console/collection/adjudication.html", page)


@study_page(Right.READ)
def adjudicate(request: HttpRequest, study: Study, position: int) -> HttpResponse:
    """Show an item as annotators see it, with the answers in an order by chance; decide it."""
    items = Context.objects.stimuli(study).filter(number=1, pair__study__adjudicates=True)
    context = get_object_or_404(items.select_related("pair"), pair__position=position)
    tally, face, user = (
        tally_answers(study, pk=context.pk)[context.pk],
        preview_display(study),
        signed_in(request),
    )
    form = DecisionForm(
        posted(request),
        choices=list_choices(face, tally.answers, user.pk),
        words=None if face.asks_rating else (context.word1, context.word2),
    )
    if attempt(form, lambda: decide(context, user, form.given_answer, **form.reasoned)):
        messages.success(request, f"Item {context.pair.details['id']} is decided.")
        return redirect("console:adjudication", study.slug)
    standing = (
        Adjudication.objects.standing(study).filter(context=context).select_related(*SHOWN).first()
    )
    item, score = context.restored(study.kind), context.pair.details.get("score", "")
    page = {
        "study": study, "context": context, "tally": tally, "face": face, "form": form,
        "shown": show_item(face, item, score, has_fields=False), "standing": standing,
        "translated": study.collects_translations and study.language2,
        "decided": standing and write_answer(face, standing.given),
    }  # fmt: skip
    return render(request, "console/collection/adjudicate.html", page, status=status_of(form))


def list_choices(
    face: StudyDisplay, answers: Mapping[int, Answer], person: int
) -> list[tuple[str, str]]:
    """Return the answers to choose from; annotators' are in a random order, the same for a person.

    After them come the points of the scale that no annotator chose.
    """
    given = Response.objects.filter(pk__in=answers)
    choices = [(f"{response.pk}", write_answer(face, response)) for response in given]
    choices.sort(key=lambda choice: hashlib.sha256(f"{choice[0]} {person}".encode()).digest())
    if not face.asks_rating:
        return choices
    others = [point.value for point in face.scale if Decimal(point.value) not in answers.values()]
    return [
        *choices,
        *((f"={value}", f"Another answer: {face.name_point(value)}") for value in others),
    ]


def write_answer(face: StudyDisplay, given: Response | Adjudication | None) -> str:
    """Return a rating as annotators see it, and what is written, or that it was withdrawn."""
    if given is None:
        return "withdrawn"
    point = [] if given.rating is None else [face.name_point(write_point(given.rating))]
    return " · ".join([*point, *filter(None, (given.written1, given.written2))])
