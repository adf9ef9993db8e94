"""The step Contexts: the candidates of a draft, and how far the choices among them are."""

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from surveys.access.roles import Right
from surveys.contexts.candidates import CheckedCandidates, begin_study, import_candidates
from surveys.contexts.choices import configure_selection
from surveys.contexts.models import CandidatePair, CandidateSet, ContextChoice, SelectionState
from surveys.contexts.progress import count_progress, describe_chosen
from surveys.contexts.queue import claim_next
from surveys.contexts.search.listing import has_corpora_dir
from surveys.contexts.stimuli import StimuliPreview, preview_stimuli, use_as_stimuli
from surveys.contexts.web.console.choice_forms import (
    BeginForm,
    CandidatesForm,
    ReplacementForm,
    SelectionSettingsForm,
)
from surveys.errors import ImportRefused
from surveys.models import Study
from surveys.monitoring.checklist import has_step
from surveys.study.languages import list_languages
from surveys.web.console.access import console_page, signed_in, study_page
from surveys.web.console.confirmation import ask_first
from surveys.web.forms import attempt, posted, status_of

PAIRS_PER_PAGE = 100
MOST_NAMED = 10  # pairs in a sentence
FILTERS = {state.value: {"state": state} for state in SelectionState}


@require_http_methods(["GET", "POST"])
@console_page
def begin(request: HttpRequest) -> HttpResponse:
    """Create a draft from a file of candidates, or for a search; the user becomes its owner."""
    form = BeginForm(posted(request), request.FILES or None)

    def create() -> None:
        begin_study(form.checked, form.new_study, signed_in(request), file_name=form.file_name)

    if attempt(form, create):
        return redirect("console:contexts", form.cleaned_data["slug"])
    page = {"form": form, "languages": list_languages(), "may_search": has_corpora_dir()}
    return render(request, "contexts/begin.html", page, status=status_of(form))


@study_page(Right.WORK)
def contexts(request: HttpRequest, study: Study) -> HttpResponse:
    """Show how far the choices are, and list the pairs; a POST opens the next pair.

    A draft without candidates begins with a search for them.
    """
    stored = CandidateSet.objects.filter(study=study).first()
    if stored is None:
        if may_search(study) and has_step(study, "contexts"):
            return redirect("console:search_contexts", study.slug)
        raise Http404
    if request.method == "POST":
        return open_next(study, request)
    shown = request.GET.get("show", "")
    pairs = CandidatePair.objects.filter(study=study, **FILTERS.get(shown, {}))
    if shown == "few":
        pairs = pairs.filter(n_candidates__lt=stored.n_wanted)
    rows = Paginator(pairs.order_by("number"), PAIRS_PER_PAGE).get_page(request.GET.get("page"))
    page = {
        "study": study,
        "stored": stored,
        "progress": count_progress(stored),
        "chosen": describe_chosen(study),
        "rows": rows,
        "shown": shown,
        "may_search": may_search(study),
    }
    return render(request, "contexts/contexts.html", page)


@study_page(Right.WORK)
def candidates_file(request: HttpRequest, study: Study) -> HttpResponse:
    """Replace a draft's candidates by another file's."""
    stored = get_object_or_404(CandidateSet, study=study)
    has_choices = ContextChoice.objects.standing().filter(pair__study=study).exists()
    form = ReplacementForm(posted(request), request.FILES or None, has_choices=has_choices)

    def replace() -> None:
        import_candidates(
            study, checked_of(form), signed_in(request), file_name=form.file_name,
            discards_choices=form.cleaned_data.get("discards_choices", False),
        )  # fmt: skip

    if attempt(form, replace):
        messages.success(request, "The candidates are replaced.")
        return redirect("console:contexts", study.slug)
    page = {"study": study, "stored": stored, "form": form}
    return render(request, "contexts/file.html", page, status=status_of(form))


@study_page(Right.WORK)
def settings(request: HttpRequest, study: Study) -> HttpResponse:
    """Show and store how experts choose."""
    stored = get_object_or_404(CandidateSet, study=study)
    now = {"experts": "two" if stored.is_double else "one", "shows_scores": stored.shows_scores}
    form = SelectionSettingsForm(posted(request), initial=now)

    def configure() -> None:
        shows_scores = form.cleaned_data["shows_scores"]
        configure_selection(study, is_double=form.is_double, shows_scores=shows_scores)

    if attempt(form, configure):
        messages.success(request, "The settings are saved.")
        return redirect("console:contexts", study.slug)
    page = {"study": study, "form": form}
    return render(request, "contexts/settings.html", page, status=status_of(form))


@study_page(Right.WORK)
def use_stimuli(request: HttpRequest, study: Study) -> HttpResponse:
    """Confirm (GET) or make (POST) the stimuli of the contexts chosen."""
    get_object_or_404(CandidateSet, study=study)
    if request.method == "POST":
        use_as_stimuli(study)
        messages.success(request, "The chosen contexts are the stimuli of the study now.")
        return redirect("console:stimuli", study.slug)
    preview = preview_stimuli(study)
    return ask_first(
        request,
        study,
        title="Use as stimuli",
        text=describe_stimuli(preview),
        button="Use as stimuli",
        back=reverse("console:contexts", args=[study.slug]),
        is_grave=preview.n_replaced > 0,
    )


def describe_stimuli(preview: StimuliPreview) -> str:
    """Return what making the stimuli would do, in paragraphs."""
    made = f"{name_number(preview.n_pairs, 'pair')} with chosen contexts will be the stimuli."
    left = f"{preview.n_undecided:,} undecided and {preview.n_skipped:,} skipped are left out."
    paragraphs = [made + (f" {left}" if preview.n_undecided or preview.n_skipped else "")]
    if preview.overlapping:
        named = ", ".join(preview.overlapping[:MOST_NAMED])
        more = len(preview.overlapping) - MOST_NAMED
        others = f" and {name_number(more, 'other pair')}" if more > 0 else ""
        paragraphs.append(f"Both contexts have a sentence in common: {named}{others}.")
    if preview.n_replaced:
        replaced = name_number(preview.n_replaced, "row")
        paragraphs.append(f"They replace the {replaced} that the draft has now, with all changes.")
    return "\n\n".join(paragraphs)


def name_number(n: int, noun: str) -> str:
    return f"{n:,} {noun}{'' if n == 1 else 's'}"


def open_next(study: Study, request: HttpRequest) -> HttpResponse:
    """Redirect to the next pair of the user, or to the overview if there is none."""
    pair = claim_next(study, signed_in(request))
    if pair is None:
        return redirect("console:contexts", study.slug)
    return redirect("console:candidates", study.slug, pair.number)


def may_search(study: Study) -> bool:
    """Return whether experts can search for candidates of a study."""
    return study.is_draft and has_corpora_dir()


def checked_of(form: CandidatesForm) -> CheckedCandidates:
    if form.checked is None:
        raise ImportRefused("Choose the file with the candidates.")
    return form.checked
