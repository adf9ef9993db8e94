"""Recruitment: Prolific's export of submissions, compared with the study and then stored."""

from typing import Any

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render

from surveys.access.roles import Right
from surveys.crowd.prolific.comparison import Comparison, compare_export
from surveys.crowd.prolific.export import read_export
from surveys.crowd.reconciliation import reconcile_all
from surveys.models import Entrance, Provider, Study
from surveys.web.console.access import is_owner, study_page
from surveys.web.console.recruitment.link_forms import MAX_LIST_BYTES, read_text_file
from surveys.web.forms import attempt, posted, status_of


class ExportForm(forms.Form):
    """Prolific's export: a file, or the text of one that was compared and is confirmed."""

    file = forms.FileField(required=False, label="Prolific’s export of submissions (CSV)")
    kept = forms.CharField(
        max_length=MAX_LIST_BYTES, required=False, strip=False, widget=forms.HiddenInput
    )

    def clean_file(self) -> str:
        return read_text_file(self.cleaned_data["file"])

    def clean(self) -> dict[str, Any]:
        if not self.errors and not self.text:
            raise forms.ValidationError("Choose the file that you downloaded from Prolific.")
        return self.cleaned_data

    @property
    def text(self) -> str:
        """Return the text of the export."""
        text: str = self.cleaned_data["file"] or self.cleaned_data["kept"]
        return text

    @property
    def is_confirmed(self) -> bool:
        """Return whether the export was compared before, and is to be stored."""
        return bool(self.cleaned_data.get("kept")) and not self.cleaned_data.get("file")


@study_page(Right.WORK)
def prolific_export(request: HttpRequest, study: Study) -> HttpResponse:
    """Compare Prolific's export with the study; store it once that is confirmed."""
    entrance = get_object_or_404(
        Entrance.objects.select_related("study"), study=study, provider=Provider.PROLIFIC
    )
    form = ExportForm(posted(request), request.FILES or None)
    comparisons: list[Comparison] = []

    def act() -> None:
        reports = read_export(form.text)
        if form.is_confirmed:
            reconcile_all(entrance, reports)
        else:
            comparisons.append(compare_export(entrance, reports))

    if attempt(form, act) and form.is_confirmed:
        messages.success(request, "The export is stored.")
        return redirect("console:prolific", study.slug)
    page = {
        "study": study,
        "form": form,
        "compared": comparisons[0] if comparisons else None,
        "counts": comparisons[0].count() if comparisons else {},
        "sees_ids": is_owner(request),
    }
    return render(request, "crowd/prolific_export.html", page, status=status_of(form))
