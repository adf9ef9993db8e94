"""The import of boards as papers printed them, with a preview, and their deletion."""

from typing import Any, ClassVar

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse

from surveys.sharedtasks.boards.published import delete_board, import_board, read_board, show_board
from surveys.sharedtasks.models import PublishedBoard, SharedTask
from surveys.sharedtasks.web.organisers.access import ask_first, task_page
from surveys.web.console.access import signed_in
from surveys.web.forms import SettingsForm, attempt, posted, status_of


class PublishedBoardForm(SettingsForm):
    """A published board; its files are pasted, so that a preview keeps them."""

    address = forms.URLField(
        label="Link to the paper", required=False, max_length=500, assume_scheme="https"
    )

    class Meta(SettingsForm.Meta):
        model = PublishedBoard
        fields = (
            "title", "name", "source", "address", "text", "places", "is_percent", "table", "order",
        )  # fmt: skip
        widgets: ClassVar = {
            name: forms.Textarea(attrs={"rows": rows, "spellcheck": "false"})
            for name, rows in (("text", 3), ("table", 12), ("order", 6))
        }

    def __init__(self, *sent: Any) -> None:
        super().__init__(*sent, instance=PublishedBoard())
        for name in ("table", "order"):
            self.fields[name].strip = False  # type: ignore[attr-defined]  # the last cell may be empty


@task_page()
def import_published(request: HttpRequest, shared_task: SharedTask) -> HttpResponse:
    """Preview (with `preview`) or import a published board."""
    form = PublishedBoardForm(posted(request))
    boards: list[PublishedBoard] = []
    is_preview = "preview" in request.POST

    def read() -> None:
        boards.append(read_board(shared_task, form.cleaned_data, signed_in(request)))
        if not is_preview:
            import_board(boards[0])

    if attempt(form, read) and not is_preview:
        messages.success(request, f"The board {boards[0].name} was imported.")
        return redirect("organisers:scores", shared_task.slug)
    shown = show_board(boards[0]) if boards and not form.errors else None
    page = {"shared_task": shared_task, "form": form, "shown": shown}
    template = "sharedtasks/organisers/import_board.html"
    return render(request, template, page, status=status_of(form))


@task_page()
def delete_published(request: HttpRequest, shared_task: SharedTask, name: str) -> HttpResponse:
    """Confirm (GET) or make (POST) the deletion of a published board."""
    board = get_object_or_404(shared_task.published_boards, name=name)
    back = reverse("organisers:scores", args=[shared_task.slug])
    if request.method == "GET":
        return ask_first(
            request,
            shared_task,
            title=f"Delete the published board {name}",
            text="Its page and files are deleted; the log keeps its name and digest.",
            button="Delete it",
            back=back,
        )
    delete_board(board)
    messages.success(request, f"The board {name} was deleted.")
    return redirect(back)
