"""The step Stimuli: new studies, rows as annotators see them, and their revision."""

from decimal import Decimal
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

from django.contrib import messages
from django.core.paginator import Paginator
from django.db.models import Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.safestring import SafeString
from django.views.decorators.http import require_http_methods

from surveys.access.roles import Right, visible_studies
from surveys.models import Checkpoint, Context, Pair, Study
from surveys.query_params import read_query
from surveys.study.create import create_study
from surveys.study.design import START, published_designs, start_study
from surveys.study.languages import list_languages
from surveys.study.planning.workload import Plan, plan_sample
from surveys.study.stimuli.checkpoints import replace_checkpoints
from surveys.study.stimuli.edit import drop_row, read_checked, replace_stimuli, revise_row
from surveys.study.stimuli.load import check_row, write_row
from surveys.study.stimuli.statistics import list_overlaps, measure_study
from surveys.web.console.access import console_page, signed_in, study_page
from surveys.web.console.study.stimuli_forms import (
    CheckpointsForm,
    NewStudyForm,
    ReasonForm,
    RowForm,
    UploadForm,
)
from surveys.web.forms import attempt, posted, status_of
from surveys.web.rendering.context_preview import (
    ShownContext,
    picture_item,
    shorten_context,
    show_context,
)
from surveys.web.rendering.study_page import StudyDisplay, preview_display

if TYPE_CHECKING:
    from surveys.study.design import Design

ROWS_PER_PAGE = 100
PLANNED = {"n_pairs": 100, "pay_per_hour": Decimal(10)}  # for which designs' work is shown


class OfferedDesign(NamedTuple):
    """A published design, its work for 100 pairs, and an item as its annotators see it."""

    design: "Design"
    plan: Plan
    picture: SafeString


@cache
def show_design(name: str) -> OfferedDesign:
    """Return a design that a study can start from, with an item in English."""
    design = published_designs()[name]
    study = start_study(name, language="en", language2="hr" if design.item.languages == 2 else "")
    return OfferedDesign(design, plan_sample(study, **PLANNED), picture_item(study))


@require_http_methods(["GET", "POST"])
@console_page
def new_study(request: HttpRequest) -> HttpResponse:
    """Create a draft from a file; the user becomes its owner.

    `?design=` chooses the published design that it starts from.
    """
    asked = request.POST.get("design") or request.GET.get("design")
    designs = {name: show_design(name) for name in published_designs()}
    chosen = asked if asked in designs else START
    form = NewStudyForm(posted(request), request.FILES or None, design=chosen)

    def create() -> None:
        checked = read_checked(form.checked, form.study)
        create_study(checked, signed_in(request))

    if form.is_valid() and form.is_settled and attempt(form, create):
        messages.success(request, "The study is created as a draft.")
        return redirect("console:stimuli", form.study.slug)
    page = {"form": form, "languages": list_languages(), "designs": designs, "chosen": chosen}
    page["picture"] = designs[chosen].picture
    return render(request, "console/study/new_study.html", page, status=status_of(form))


@study_page(Right.WORK)
def replace_file(request: HttpRequest, study: Study) -> HttpResponse:
    """Replace all rows of a draft by a file's rows."""
    form = UploadForm(posted(request), request.FILES or None, study=study)

    def replace() -> None:
        replace_stimuli(study, read_checked(form.checked, study))

    if form.is_valid() and form.is_settled and attempt(form, replace):
        messages.success(request, "The rows are replaced.")
        return redirect("console:stimuli", study.slug)
    page = {"study": study, "form": form}
    return render(request, "console/study/replace_file.html", page, status=status_of(form))


@study_page(Right.WORK, "GET", also=Right.LOOK)
def stimuli(request: HttpRequest, study: Study) -> HttpResponse:
    """List the rows, with figures of the stimuli; one may be open, as annotators see it."""
    pairs = Pair.objects.stimuli(study).prefetch_related("contexts")
    word = read_query(request.GET.get("word", ""))
    if word:
        pairs = pairs.filter(Q(word1__icontains=word) | Q(word2__icontains=word))
    rows = Paginator(pairs, ROWS_PER_PAGE).get_page(request.GET.get("page"))
    face, opened = preview_display(study), request.GET.get("open", "")
    page = {
        "study": study,
        "face": face,
        "rows": rows,
        "listed": [list_row(study, pair) for pair in rows],
        "texts": name_texts(study),
        "opened": next((show_row(face, pair) for pair in rows if str(pair.pk) == opened), None),
        "wanted": word,
        "sizes": measure_study(study.pk, study.stimuli_sha256, study.item_kind),
        "overlaps": list_overlaps(study, visible_studies(request.user)),
    }
    return render(request, "console/study/stimuli.html", page)


@study_page(Right.WORK)
def show_checkpoints(request: HttpRequest, study: Study) -> HttpResponse:
    """List the checkpoint items; a POST replaces a draft's items."""
    form = CheckpointsForm(posted(request), request.FILES or None, study=study)

    def replace() -> None:
        per_assignment = form.cleaned_data["per_assignment"]
        replace_checkpoints(study, form.data_sent, per_assignment=per_assignment, kind=form.kind)

    if form.is_valid() and form.is_settled and attempt(form, replace):
        messages.success(request, "The checkpoint items are saved.")
        return redirect("console:checkpoints", study.slug)
    stored = Checkpoint.objects.filter(context__pair__study=study).select_related("context__pair")
    checkpoints = stored.order_by("context__pair__position")
    example = "examples/checkpoints.tsv" if study.kind.n_contexts == 2 else ""
    page = {"study": study, "form": form, "checkpoints": checkpoints, "example": example}
    return render(request, "console/study/checkpoints.html", page, status=status_of(form))


@study_page(Right.WORK)
def row(request: HttpRequest, study: Study, pair_id: int) -> HttpResponse:
    """Show and change a row of a draft."""
    pair = get_object_or_404(Pair.objects.stimuli(study), pk=pair_id)
    form = make_row_form(study, pair, posted(request))

    def revise() -> None:
        fields, shown = form.row, form.cleaned_data["shown"]
        if revise_row(pair, fields, shown=shown, reason=form.cleaned_data["reason"]):
            messages.success(request, f"Row {pair.position} is saved.")

    if attempt(form, revise):
        return redirect("console:stimuli", study.slug)
    return render_row(request, pair, form, ReasonForm(initial=form.initial, prefix="drop"))


@study_page(Right.WORK)
def remove_row(request: HttpRequest, study: Study, pair_id: int) -> HttpResponse:
    """Delete a row of a draft; a GET redirects to the row."""
    pair = Pair.objects.stimuli(study).filter(pk=pair_id).first()
    if pair is None:  # the second of a double click
        return redirect("console:stimuli", study.slug)
    if request.method != "POST":
        return redirect("console:row", study.slug, pair_id)
    form = ReasonForm(request.POST, prefix="drop")

    def drop() -> None:
        drop_row(pair, shown=form.cleaned_data["shown"], reason=form.cleaned_data["reason"])

    if attempt(form, drop):
        messages.success(request, f"{pair} is deleted; the following rows have moved up.")
        return redirect("console:stimuli", study.slug)
    return render_row(request, pair, make_row_form(study, pair, None), form)


def make_row_form(study: Study, pair: Pair, sent: Any) -> RowForm:
    return RowForm(sent, study=study, row=write_row(study, pair))


def render_row(request: HttpRequest, pair: Pair, form: RowForm, dropping: Any) -> HttpResponse:
    face = preview_display(pair.study)
    shown = show_row(face, pair)
    page = {"study": pair.study, "row": shown, "form": form, "dropping": dropping, "face": face}
    return render(request, "console/study/row.html", page, status=status_of(form, dropping))


def name_texts(study: Study) -> list[str]:
    """Return the headings of the texts that a row has."""
    if study.kind.n_contexts == 2:
        return ["Context 1", "Context 2"]
    return ["Text 1", "Text 2"] if study.kind.n_texts == 2 else []


def list_row(study: Study, pair: Pair) -> dict[str, Any]:
    """Return a row with the beginnings of its texts, and its number of warnings."""
    kind = study.kind
    n_warnings = len(check_row(write_row(study, pair), study.item_rules).warnings)
    contexts = sorted(pair.contexts.all(), key=lambda context: context.number)
    sides = (side for context in contexts for side in kind.sides(context.restored(kind)))
    beginnings = [shorten_context(side) for side in sides]
    return {"pair": pair, "beginnings": beginnings, "n_warnings": n_warnings}


def show_row(face: StudyDisplay, pair: Pair) -> dict[str, Any]:
    """Return a row with the annotator pages of its contexts, and its warnings."""
    contexts: list[Context] = sorted(pair.contexts.all(), key=lambda context: context.number)
    shown: list[ShownContext] = [show_context(face, context) for context in contexts]
    warnings = check_row(write_row(face.study, pair), face.study.item_rules).warnings
    return {"pair": pair, "contexts": shown, "warnings": warnings}
