"""The step Stimuli: a new study of a file, its rows as annotators see them, their revision."""

from typing import Any

from django.contrib import messages
from django.core.paginator import Paginator
from django.db.models import Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_GET, require_http_methods

from surveys.access.roles import Right, visible_studies
from surveys.models import Checkpoint, Context, Pair, Study
from surveys.query_params import read_query
from surveys.study.stimuli.check import check_row, write_row
from surveys.study.stimuli.checkpoints import replace_checkpoints
from surveys.study.stimuli.edit import (
    drop_row,
    make_draft,
    read_checked,
    replace_stimuli,
    revise_row,
)
from surveys.study.stimuli.load import StudyDesign
from surveys.study.stimuli.statistics import list_overlaps, measure_study
from surveys.web.console.access import console_page, signed_in, study_page
from surveys.web.console.forms import attempt
from surveys.web.console.stimuli_forms import (
    CheckpointsForm,
    NewStudyForm,
    ReasonForm,
    RowForm,
    UploadForm,
    list_languages,
)
from surveys.web.rendering.context_preview import ShownContext, show_context
from surveys.web.rendering.study_page import Face, preview_face

HTTP_UNPROCESSABLE = 422
ROWS_A_PAGE = 10


@require_http_methods(["GET", "POST"])
@console_page
def new_study(request: HttpRequest) -> HttpResponse:
    """A study made of a file, as a draft of which whoever made it is the owner."""
    is_sent = request.method == "POST"
    form = NewStudyForm(request.POST, request.FILES) if is_sent else NewStudyForm()
    made: list[Study] = []

    def make() -> None:
        made.append(make_draft(read_checked(form.checked, form.design), signed_in(request)))

    if is_sent and form.is_valid() and not form.asks_to_confirm and attempt(form, make):
        messages.success(request, "The study is made, as a draft. This is how it looks.")
        return redirect("console:stimuli", made[0].slug)
    page = {"form": form, "languages": list_languages()}
    return render(request, "console/new_study.html", page, status=status_of(form))


@require_http_methods(["GET", "POST"])
@study_page(Right.WORK)
def replace_file(request: HttpRequest, study: Study) -> HttpResponse:
    """Another file in place of all rows of a draft."""
    is_sent = request.method == "POST"
    form = UploadForm(request.POST, request.FILES) if is_sent else UploadForm()

    def replace() -> None:
        replace_stimuli(study, read_checked(form.checked, StudyDesign.of(study)))

    may_store = is_sent and form.is_valid() and not form.asks_to_confirm
    if may_store and attempt(form, replace):
        messages.success(request, "The rows are those of the new file.")
        return redirect("console:stimuli", study.slug)
    page = {"study": study, "form": form}
    return render(request, "console/replace_file.html", page, status=status_of(form))


@require_GET
@study_page(Right.WORK)
def stimuli(request: HttpRequest, study: Study) -> HttpResponse:
    """Every row as an annotator will see it, and the figures of the study."""
    pairs = Pair.objects.stimuli(study).prefetch_related("contexts")
    wanted = read_query(request.GET.get("word", ""))
    if wanted:
        pairs = pairs.filter(Q(word1__icontains=wanted) | Q(word2__icontains=wanted))
    rows = Paginator(pairs, ROWS_A_PAGE).get_page(request.GET.get("page"))
    face = preview_face(study)
    page = {
        "study": study,
        "face": face,
        "rows": rows,
        "shown": [show_row(face, pair) for pair in rows],
        "wanted": wanted,
        "sizes": measure_study(study),
        "overlaps": list_overlaps(study, visible_studies(request.user)),
    }
    return render(request, "console/stimuli.html", page)


@require_http_methods(["GET", "POST"])
@study_page(Right.WORK)
def show_checkpoints(request: HttpRequest, study: Study) -> HttpResponse:
    """The items with a known answer; in a draft another file may take their place."""
    is_sent = request.method == "POST"
    form = CheckpointsForm(study, *([request.POST, request.FILES] if is_sent else []))

    def replace() -> None:
        per_assignment = form.cleaned_data["per_assignment"]
        replace_checkpoints(study, form.items, per_assignment=per_assignment)

    if is_sent and attempt(form, replace):
        messages.success(request, "The checkpoint items are those of the file.")
        return redirect("console:checkpoints", study.slug)
    stored = Checkpoint.objects.filter(context__pair__study=study).select_related("context__pair")
    page = {
        "study": study,
        "form": form,
        "checkpoints": stored.order_by("context__pair__position"),
    }
    return render(request, "console/checkpoints.html", page, status=status_of(form))


@require_http_methods(["GET", "POST"])
@study_page(Right.WORK)
def row(request: HttpRequest, study: Study, pair_id: int) -> HttpResponse:
    """A row of a draft, to be changed."""
    pair = get_object_or_404(Pair.objects.stimuli(study), pk=pair_id)
    sent = request.POST if request.method == "POST" else None
    form = make_row_form(study, pair, sent)

    def revise() -> None:
        fields, shown = form.row, form.cleaned_data["shown"]
        if revise_row(pair, fields, shown=shown, reason=form.cleaned_data["reason"]):
            messages.success(request, f"Row {pair.position} is changed.")

    if sent is not None and attempt(form, revise):
        return redirect("console:stimuli", study.slug)
    return render_row(request, pair, form, ReasonForm(initial=form.initial, prefix="drop"))


@require_http_methods(["GET", "POST"])
@study_page(Right.WORK)
def remove_row(request: HttpRequest, study: Study, pair_id: int) -> HttpResponse:
    """Take a row out of a draft; a look leads to the row."""
    pair = Pair.objects.stimuli(study).filter(pk=pair_id).first()
    if pair is None:  # the second of a double click
        return redirect("console:stimuli", study.slug)
    if request.method != "POST":
        return redirect("console:row", study.slug, pair_id)
    form = ReasonForm(request.POST, prefix="drop")

    def drop() -> None:
        drop_row(pair, shown=form.cleaned_data["shown"], reason=form.cleaned_data["reason"])

    if attempt(form, drop):
        messages.success(request, f"{pair} is dropped; the rows behind it have moved up.")
        return redirect("console:stimuli", study.slug)
    return render_row(request, pair, make_row_form(study, pair, None), form)


def status_of(form: Any) -> int:
    """200 for a page as it is asked for, 422 for a form that was refused."""
    return HTTP_UNPROCESSABLE if form.is_bound and form.errors else 200


def make_row_form(study: Study, pair: Pair, sent: Any) -> RowForm:
    stored = write_row(pair, list(pair.contexts.order_by("number")))
    return RowForm(sent, row=stored, direction=preview_face(study).text_direction)


def render_row(request: HttpRequest, pair: Pair, form: RowForm, dropping: Any) -> HttpResponse:
    face = preview_face(pair.study)
    shown = show_row(face, pair)
    page = {"study": pair.study, "row": shown, "form": form, "dropping": dropping, "face": face}
    is_refused = HTTP_UNPROCESSABLE in (status_of(form), status_of(dropping))
    status = HTTP_UNPROCESSABLE if is_refused else 200
    return render(request, "console/row.html", page, status=status)


def show_row(face: Face, pair: Pair) -> dict[str, Any]:
    """A row with both pages of both contexts, and what is odd in it."""
    contexts: list[Context] = sorted(pair.contexts.all(), key=lambda context: context.number)
    shown: list[ShownContext] = [show_context(face, context) for context in contexts]
    warnings = check_row(write_row(pair, contexts)).warnings
    return {"pair": pair, "contexts": shown, "warnings": warnings}
