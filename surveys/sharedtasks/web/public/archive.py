"""The published archive of a shared task: as a folder, and as a zip."""

from pathlib import PurePosixPath

from django.http import FileResponse, Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.views.decorators.http import require_safe

from surveys.sharedtasks.final_results.archive import list_archive, read_archived
from surveys.sharedtasks.models import SharedTask
from surveys.sharedtasks.scoring.corrections import find_breaches, write_correction
from surveys.sharedtasks.web.public.finding import answer_absent
from surveys.web.rendering.sandboxed import add_way_back, answer_sandboxed

PICTURES = {".svg": "image/svg+xml", ".png": "image/png"}


@require_safe
def archive(request: HttpRequest, slug: str) -> HttpResponse:
    """List the files of the archive, or say that it is being made again or was taken back."""
    shared_task = get_object_or_404(SharedTask.objects.public(), slug=slug)
    if not shared_task.is_published:
        return answer_absent(request, shared_task, was_frozen=True)
    breaches = find_breaches(shared_task)
    page = {
        "shared_task": shared_task,
        "folders": _sort_files(list_archive(shared_task)) if shared_task.archive else {},
        "breaches": [(correction, write_correction(correction)) for correction in breaches],
    }
    return render(request, "sharedtasks/public/archive.html", page)


@require_safe
def archive_zip(request: HttpRequest, slug: str) -> HttpResponseBase:
    """Send the whole archive."""
    shared_task = _find_published(slug)
    return FileResponse(
        shared_task.archive.open("rb"), as_attachment=True, filename=f"{slug}.zip",
        content_type="application/zip",
    )  # fmt: skip


@require_safe
def archived(request: HttpRequest, slug: str, path: str) -> HttpResponse:
    """Send a file of the archive: pages and pictures to look at, others to keep."""
    shared_task = _find_published(slug)
    content = read_archived(shared_task, path)
    if content is None:
        raise Http404
    ending = PurePosixPath(path).suffix
    if ending == ".html":
        back = reverse("sharedtasks:archive", args=[slug])
        return answer_sandboxed(add_way_back(content, back, "the archive"))
    if ending in PICTURES:
        return HttpResponse(content, content_type=PICTURES[ending])
    name = PurePosixPath(path).name
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return HttpResponse(content, content_type="application/octet-stream", headers=headers)


def _find_published(slug: str) -> SharedTask:
    shared_task = get_object_or_404(SharedTask.objects.public(), slug=slug)
    if not (shared_task.is_published and shared_task.archive):
        raise Http404
    return shared_task


def _sort_files(sizes: dict[str, int]) -> dict[str, list[tuple[str, str, int]]]:
    """Return name, path and size of files by folder; those at the top come first."""
    folders: dict[str, list[tuple[str, str, int]]] = {"": []}
    for path in sorted(sizes):
        folder, _, name = path.rpartition("/")
        folders.setdefault(folder, []).append((name, path, sizes[path]))
    return folders
