"""Pages that close, reopen, archive, restore and duplicate a study."""

from collections.abc import Callable
from typing import NamedTuple

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse

from surveys.access.roles import Right
from surveys.errors import SurveyError
from surveys.models import Study
from surveys.study.create import duplicate_study
from surveys.study.lifecycle import archive_study, close_study, reopen_study
from surveys.web.console.access import Page, signed_in, study_page
from surveys.web.console.confirmation import ask_first
from surveys.web.forms import attempt, posted, status_of


class Change(NamedTuple):
    """A change of a study's state: its action, and what the page says before and afterwards."""

    action: Callable[[Study], Study]
    title: str
    text: str
    button: str
    done: str


CHANGES = {
    "close": Change(
        close_study,
        "Close the study",
        "Nobody new can begin from now on, whatever link they have. Annotators who have begun can "
        "finish.\n\nAn owner can reopen the study at any time.",
        "Close the study",
        "The study is closed: nobody new can begin.",
    ),
    "reopen": Change(
        reopen_study,
        "Reopen the study",
        "Annotators can begin again until all places are taken, by every link that is not revoked.",
        "Reopen the study",
        "The study is open again.",
    ),
    "archive": Change(
        archive_study,
        "Archive the study",
        "The study leaves the list of studies. Nothing is deleted: it stays readable, and an owner "
        "can put it back.",
        "Archive the study",
        "The study is in the archive.",
    ),
    "restore": Change(
        lambda study: archive_study(study, is_archived=False),
        "Put the study back into the list",
        "The study appears in the list of studies again.",
        "Put it back",
        "The study is in the list again.",
    ),
}


def change_page(name: str) -> Page:
    """Return the page of a change of state."""
    change = CHANGES[name]

    @study_page(Right.OWN)
    def page(request: HttpRequest, study: Study) -> HttpResponse:
        """Confirm (GET) or make (POST) a change of a study's state."""
        back = reverse("console:overview", args=[study.slug])
        if request.method == "GET":
            return ask_first(
                request,
                study,
                title=change.title,
                text=change.text,
                button=change.button,
                back=back,
            )
        try:
            change.action(study)
        except SurveyError as error:
            messages.error(request, str(error))
        else:
            messages.success(request, change.done)
        return redirect(back)

    return page


class DuplicateForm(forms.Form):
    """The names of a copy."""

    title = forms.CharField(max_length=200, label="Title of the copy")
    slug = forms.SlugField(
        max_length=50, label="Short name", help_text="In addresses and file names."
    )


@study_page(Right.WORK)
def duplicate(request: HttpRequest, study: Study) -> HttpResponse:
    """Create a draft with the stimuli, design and texts of a study; the user owns it."""
    initial = {"title": f"{study.title or study.slug} (copy)", "slug": f"{study.slug[:45]}-copy"}
    form = DuplicateForm(posted(request), initial=initial)

    def copy() -> None:
        names = form.cleaned_data
        duplicate_study(study, signed_in(request), slug=names["slug"], title=names["title"])

    if attempt(form, copy):
        messages.success(request, "The copy is a draft: review its consent text, then open it.")
        return redirect("console:overview", form.cleaned_data["slug"])
    page = {"study": study, "form": form}
    return render(request, "console/study/duplicate.html", page, status=status_of(form))
