"""Families: studies of one dataset in several languages, compared by their releases."""

from typing import Any, ClassVar

from django import forms
from django.contrib import messages
from django.contrib.auth.models import User
from django.http import FileResponse, Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_GET, require_http_methods

from surveys.models import Family, JobState, Run, Study
from surveys.results.comparisons.candidates import count_withdrawn
from surveys.results.comparisons.families import (
    LARGEST_KEY,
    delete_family,
    eligible_studies,
    find_releases,
    list_comparisons,
    request_family,
    save_family,
    tabulate,
    visible_families,
)
from surveys.results.comparisons.reading import read_page
from surveys.results.inspection.plots import FORMS
from surveys.results.run_inspection import read_member
from surveys.web.console.access import console_page, signed_in
from surveys.web.console.confirmation import ask_first
from surveys.web.forms import SettingsForm, attempt, posted, status_of
from surveys.web.rendering.sandboxed import add_way_back, answer_sandboxed


class FamilyForm(SettingsForm):
    """The name of a family, and its studies among those that the user may choose."""

    studies = forms.MultipleChoiceField(
        widget=forms.CheckboxSelectMultiple,
        help_text="At most one for each language. Listed are studies with two contexts a pair "
        "in which you are owner or researcher.",
    )

    class Meta(SettingsForm.Meta):
        model = Family
        fields: ClassVar = ["title", "slug", "text"]
        labels: ClassVar = {"slug": "Short name", "text": "Description"}
        help_texts: ClassVar = {
            "slug": "Part of the address. Letters, digits, hyphens and underscores.",
            "text": "Shown below the title.",
        }
        widgets: ClassVar = {"text": forms.Textarea({"rows": 4})}

    def __init__(self, user: User, data: Any = None, *, instance: Family) -> None:
        super().__init__(data, instance=instance)
        self.eligible = {study.slug: study for study in eligible_studies(user)}
        field: Any = self.fields["studies"]
        field.choices = [
            (slug, f"{slug}: {study.title} ({study.language})")
            for slug, study in self.eligible.items()
        ]
        if instance.pk:
            field.initial = [study.slug for study in instance.studies.all()]

    def clean_studies(self) -> list[Study]:
        """Return the chosen studies."""
        return [self.eligible[slug] for slug in self.cleaned_data["studies"]]


class KeyForm(forms.Form):
    """What says which pairs are the same in several languages."""

    file = forms.FileField(
        required=False, label="Key (optional)",
        help_text="A table with id, sl_word1, sl_word2 and so on for each language, perhaps "
        "pos and score. Without it no overlap is known.",
    )  # fmt: skip

    def clean_file(self) -> bytes:
        file = self.cleaned_data["file"]
        if file and file.size > LARGEST_KEY:
            raise forms.ValidationError(f"The file has more than {LARGEST_KEY:,} bytes.")
        return file.read() if file else b""


@require_GET
@console_page
def families(request: HttpRequest) -> HttpResponse:
    """List the families in all of whose studies the user works."""
    rows = visible_families(signed_in(request)).prefetch_related("studies")
    return render(request, "console/results/families.html", {"families": rows})


@require_http_methods(["GET", "POST"])
@console_page
def edit_family(request: HttpRequest, family: str = "") -> HttpResponse:
    """Show and change a family, or a new one."""
    edited = _find(request, family) if family else Family()
    form = FamilyForm(signed_in(request), posted(request), instance=edited)

    def save() -> None:
        save_family(edited, **form.cleaned_data)

    if attempt(form, save):
        return redirect("console:family", edited.slug)
    page = {"form": form, "family": edited}
    return render(request, "console/results/edit_family.html", page, status=status_of(form))


@require_http_methods(["GET", "POST"])
@console_page
def remove_family(request: HttpRequest, family: str) -> HttpResponse:
    """Delete a family, once that is confirmed."""
    shown = _find(request, family)
    if request.method == "POST":
        delete_family(shown)
        messages.success(request, f"The family {shown.title} is deleted.")
        return redirect("console:families")
    return ask_first(
        request,
        title=f"Delete the family {shown.title}?",
        text="Its comparisons and their files are deleted. Studies and releases stay.",
        button="Delete the family",
        back=reverse("console:edit_family", args=[family]),
    )


@require_http_methods(["GET", "POST"])
@console_page
def family(request: HttpRequest, family: str) -> HttpResponse:
    """Show a family and its newest comparison; a POST compares the latest releases."""
    shown = _find(request, family)
    form = KeyForm(posted(request), request.FILES or None)

    def compare() -> None:
        request_family(shown, form.cleaned_data["file"], signed_in(request))

    if attempt(form, compare):
        messages.success(request, "The comparison has started; this page shows the progress.")
        return redirect("console:family", shown.slug)
    runs = list_comparisons(shown)
    newest = next((run for run in runs if run.state == JobState.DONE), None)
    page: dict[str, Any] = {
        "family": shown,
        "releases": find_releases(shown),
        "form": form,
        "runs": runs,
        "is_busy": any(run.is_under_way for run in runs),
    }
    if newest:
        report: dict[str, Any] = newest.report or {}
        page |= {
            "newest": newest,
            "report": report,
            "rows": tabulate(report),
            "n_withdrawn": count_withdrawn(newest),
        }
    return render(request, "console/results/family.html", page, status=status_of(form))


@require_GET
@console_page
def family_report(request: HttpRequest, family: str, run_id: int) -> HttpResponse:
    """Return the page of a comparison as the library wrote it, with a way back, sandboxed."""
    page = read_page(_find_done(request, family, run_id), "family")
    if page is None:
        raise Http404
    address = reverse("console:family", args=[family])
    return answer_sandboxed(add_way_back(page, address, family))


@require_GET
@console_page
def family_files(request: HttpRequest, family: str, run_id: int) -> HttpResponseBase:
    """Download all files of a comparison."""
    run = _find_done(request, family, run_id)
    name = f"{family}_{str(run.archive).rpartition('/')[2]}"
    return FileResponse(run.archive.open("rb"), as_attachment=True, filename=name)


@require_GET
@console_page
def family_figure(
    request: HttpRequest, family: str, run_id: int, figure: str, form: str
) -> HttpResponse:
    """Return a figure of a comparison as an image."""
    run = _find_done(request, family, run_id)
    content = read_member(run, f"figures/{figure}.{form}")
    if content is None:
        raise Http404
    name = f'inline; filename="{family}-{figure}.{form}"'
    return HttpResponse(content, content_type=FORMS[form], headers={"Content-Disposition": name})


def _find(request: HttpRequest, slug: str) -> Family:
    """Return a family that the user may see, or answer 404."""
    return get_object_or_404(visible_families(signed_in(request)), slug=slug)


def _find_done(request: HttpRequest, slug: str, run_id: int) -> Run:
    runs = list_comparisons(_find(request, slug))
    run = next((run for run in runs if run.pk == run_id and run.state == JobState.DONE), None)
    if run is None:
        raise Http404
    return run
