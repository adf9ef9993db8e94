"""The expert's page: the candidates of one pair, and what was chosen."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render

from surveys.access.roles import Right
from surveys.contexts.choices import record_choice, undo_choice
from surveys.contexts.models import (
    Candidate,
    CandidatePair,
    CandidateSet,
    ContextChoice,
    SkipReason,
)
from surveys.contexts.queue import find_latest, order_candidates
from surveys.contexts.web.console.candidates import may_search, open_next
from surveys.contexts.web.console.choice_forms import ChoiceForm
from surveys.models import Study
from surveys.web.console.access import signed_in, study_page
from surveys.web.forms import attempt, posted, status_of

OPINIONS = {1: "First choice", 2: "Second choice", 3: "Deciding choice"}


@study_page(Right.WORK)
def candidates(request: HttpRequest, study: Study, number: int) -> HttpResponse:
    """Show the candidates of a pair, or what was chosen; a POST chooses and opens the next pair.

    Experts see choices of others when the pair is decided, and scores when they have chosen.
    """
    pair = get_object_or_404(
        CandidatePair.objects.select_related("study"), study=study, number=number
    )
    stored = get_object_or_404(CandidateSet, study=study)
    expert = signed_in(request)
    keyed = order_candidates(pair, expert)
    form = ChoiceForm(posted(request), candidates=keyed)
    if attempt(form, lambda: record_choice(pair, expert, form.chosen)):
        return open_next(study, request)
    page: dict[str, Any] = {
        "study": study, "pair": pair, "stored": stored, "form": form,
        "may_search": may_search(study),
    }  # fmt: skip
    shown = list_shown(pair, expert.pk)
    if not form.is_bound and (shown or not study.is_draft):
        page |= {
            "choices": [show_choice(choice) for choice in shown],
            "is_mine": any(choice.expert_id == expert.pk for choice in shown),
        }
        return render(request, "contexts/chosen.html", page)
    page |= {
        "cards": [show_card(form, *candidate) for candidate in keyed],
        "reasons": SkipReason.choices,
        "latest": show_latest(find_latest(study, expert)),
    }
    return render(request, "contexts/candidates.html", page, status=status_of(form))


@study_page(Right.WORK, "POST")
def undo(request: HttpRequest, study: Study, number: int) -> HttpResponse:
    """Undo the expert's own choice and show the candidates again."""
    undo_choice(get_object_or_404(CandidatePair, study=study, number=number), signed_in(request))
    return redirect("console:candidates", study.slug, number)


def list_shown(pair: CandidatePair, expert: int) -> list[ContextChoice]:
    """Return the choices for a pair that an expert may see."""
    rows = pair.choices.standing().select_related("expert", "candidate1", "candidate2")
    choices = list(rows.prefetch_related("edits").order_by("opinion"))
    return choices if pair.is_decided else [c for c in choices if c.expert_id == expert]


def show_card(form: ChoiceForm, key: str, candidate: Candidate) -> dict[str, Any]:
    """Return a candidate with its key, and its fields as they were sent."""
    picked = {
        name: str(form[name].value()) == str(candidate.number) for name in ("first", "second")
    }
    field = form[f"text{candidate.number}"]
    sent = str(field.value() or "").split()
    is_edited = bool(sent) and sent != str(field.initial).split()
    return {"key": key, "candidate": candidate, "field": field, "is_edited": is_edited, **picked}


def show_latest(choice: ContextChoice | None) -> dict[str, Any] | None:
    return None if choice is None else show_choice(choice)


def show_choice(choice: ContextChoice) -> dict[str, Any]:
    """Return a choice with its contexts: number, candidate, parts of the text, and those before
    an edit.
    """
    edits = {edit.number: edit for edit in choice.edits.all()}
    contexts = []
    for number in (1, 2):
        candidate: Candidate | None = getattr(choice, f"candidate{number}")
        if candidate is not None:
            edit = edits.get(number)
            contexts.append(
                {
                    "number": number,
                    "candidate": candidate,
                    "parts": (edit or candidate).parts,
                    "original": candidate.parts if edit else None,
                }
            )
    return {"choice": choice, "contexts": contexts, "name": OPINIONS[choice.opinion]}
