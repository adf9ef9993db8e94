"""The page of a result: one submission, for ever at the same address, and its files."""

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.views.decorators.gzip import gzip_page
from django.views.decorators.http import require_safe

from surveys.sharedtasks.boards.citing import cite_result
from surveys.sharedtasks.boards.exports import render_for_hub, render_for_mteb
from surveys.sharedtasks.boards.predictions import FORMATS, draw_predictions, list_drawn, may_draw
from surveys.sharedtasks.boards.results import Result, find_result, was_final
from surveys.sharedtasks.boards.table import explain_intervals, has_expected_intervals, show_result
from surveys.sharedtasks.boards.visible import find_viewer
from surveys.sharedtasks.models import SharedTask
from surveys.sharedtasks.scoring.visibility import Viewer
from surveys.sharedtasks.web.public.finding import answer_absent
from surveys.web.rendering.markdown import render_foreign_markdown
from surveys.web.timing import began_at


@require_safe
def result(request: HttpRequest, slug: str, code: str) -> HttpResponse:
    """Show the scores and the system of a submission, or say that they were taken back."""
    shared_task = _find_task(slug)
    result, viewer = _look(request, shared_task, code)
    if result is None:
        return answer_absent(request, shared_task, was_frozen=was_final(shared_task, code))
    drawn = list_drawn(result, viewer)
    page = {
        "shared_task": result.submission.phase.shared_task,
        "result": result,
        "submission": result.submission,
        "subtasks": [
            (show_result(part), [figure for figure in drawn if figure.subtask == part.subtask])
            for part in result.subtasks
        ],
        "is_expected": has_expected_intervals(result),
        "notes": explain_intervals(result),
        "on_boards": [part.subtask for part in result.subtasks if part.board],
        "summary": render_foreign_markdown(result.submission.team.summary),
        "bibtex": cite_result(result, _write_address(slug, code)),
    }
    return render(request, "sharedtasks/public/result.html", page)


@gzip_page  # a figure repeats nothing of the request and holds no secret
@require_safe
def predictions(
    request: HttpRequest, slug: str, code: str, subtask: int, language: str, form: str
) -> HttpResponse:
    """Send the predictions of a submission against the gold, as a figure."""
    result, viewer = _find(request, slug, code)
    is_drawn = form in FORMATS and may_draw(result, viewer)
    content = draw_predictions(result, (subtask, language), form) if is_drawn else None
    if content is None:
        raise Http404
    name = f"{slug}_{code}_predictions_{subtask}_{language}.{form}"
    headers = {"Content-Disposition": f'inline; filename="{name}"'}
    return HttpResponse(content, content_type=FORMATS[form], headers=headers)


@require_safe
def for_mteb(request: HttpRequest, slug: str, code: str, subtask: int) -> HttpResponse:
    """Send the scores of a subtask as a result file of MTEB."""
    result, _ = _find(request, slug, code)
    content = render_for_mteb(result, subtask)
    return _send(content, f"{slug}_{code}_mteb_{subtask}.json", "application/json")


@require_safe
def for_hub(request: HttpRequest, slug: str, code: str) -> HttpResponse:
    """Send the scores for a model on the Hugging Face Hub, whose dataset is in the address."""
    result, _ = _find(request, slug, code)
    dataset = request.GET.get("dataset", "").strip()
    content = render_for_hub(result, dataset, _write_address(slug, code))
    return _send(content, f"{slug}.yaml", "application/yaml; charset=utf-8")


def _find(request: HttpRequest, slug: str, code: str) -> tuple[Result, Viewer]:
    """Return a result and its viewer. Raises Http404 if the viewer may not see it."""
    result, viewer = _look(request, _find_task(slug), code)
    if result is None:
        raise Http404
    return result, viewer


def _look(request: HttpRequest, shared_task: SharedTask, code: str) -> tuple[Result | None, Viewer]:
    """Return a result, or None if the viewer may not see it, and the viewer."""
    viewer = find_viewer(shared_task, request.user)
    return find_result(shared_task, code, viewer, now=began_at(request)), viewer


def _find_task(slug: str) -> SharedTask:
    shared_task: SharedTask = get_object_or_404(SharedTask.objects.public(), slug=slug)
    return shared_task


def _write_address(slug: str, code: str) -> str:
    return f"{settings.SITE_URL}{reverse('sharedtasks:result', args=[slug, code])}"


def _send(content: bytes | None, name: str, kind: str) -> HttpResponse:
    if content is None:
        raise Http404
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return HttpResponse(content, content_type=kind, headers=headers)
