"""The audit of a dataset from elsewhere; nothing is stored."""

from collections.abc import Sequence
from typing import Any

from django import forms
from django.core.files.uploadedfile import UploadedFile
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_http_methods

from surveys.results.inspection.auditing import (
    MOST_RATINGS,
    AuditChoices,
    DatasetFile,
    ShownAudit,
    audit_files,
)
from surveys.web.console.access import console_page
from surveys.web.forms import attempt, posted, status_of


class FilesInput(forms.FileInput):
    """A file input that takes several files."""

    allow_multiple_selected = True


class FilesField(forms.FileField):
    """Several files; the value is a list, empty for none."""

    widget = FilesInput

    def clean(self, data: Any, initial: Any = None) -> "list[UploadedFile[Any]]":
        """Check each file by the rules of a single one."""
        given = data if isinstance(data, list | tuple) else [data]
        checked = [super(FilesField, self).clean(file, initial) for file in given or [None]]
        return [file for file in checked if file]


def point(label: str, initial: float, **options: Any) -> forms.FloatField:
    return forms.FloatField(label=label, initial=initial, **options)


class AuditForm(forms.Form):
    """The files of a dataset, and assumptions about its ratings."""

    dataset = FilesField(
        label="Files of the dataset",
        help_text="The file of the scores, with data_, gold_ and ratings_ files if you have them, "
        "or a zip archive of their folder, such as a release.",
    )
    practice = FilesField(
        required=False,
        label="Files of a practice kit",
        help_text="If they are in another folder. Its pairs should not be in the test data.",
    )
    least = forms.IntegerField(
        required=False, min_value=1, max_value=MOST_RATINGS,
        label="Fewest ratings of a context, if known",
    )  # fmt: skip
    most = forms.IntegerField(
        min_value=1, max_value=MOST_RATINGS, initial=AuditChoices.most,
        label="Most ratings of a context",
    )  # fmt: skip
    minimum = point("Lowest point of the scale", AuditChoices.scale[0])
    maximum = point("Highest point of the scale", AuditChoices.scale[1])
    step = point("Step of the scale", AuditChoices.scale[2])
    published_minimum = point("Lowest published score", AuditChoices.published[0])
    published_maximum = point("Highest published score", AuditChoices.published[1])
    with_details = forms.BooleanField(
        required=False, label="Show all findings, and the numbers of ratings that fit each context"
    )

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        least, most = cleaned.get("least"), cleaned.get("most")
        if least and most and least > most:
            self.add_error("least", "It is higher than the most ratings of a context.")
        return cleaned

    @property
    def file_fields(self) -> list[forms.BoundField]:
        return [self["dataset"], self["practice"]]

    @property
    def rating_fields(self) -> list[forms.BoundField]:
        """Return the fields of the assumptions about the ratings."""
        others = ("dataset", "practice", "with_details")
        return [self[name] for name in self.fields if name not in others]

    @property
    def choices(self) -> AuditChoices:
        """Return the choices of a valid form."""
        given = self.cleaned_data
        return AuditChoices(
            given["least"],
            given["most"],
            (given["minimum"], given["maximum"], given["step"]),
            (given["published_minimum"], given["published_maximum"]),
            with_details=given["with_details"],
        )

    def read(self, name: str) -> Sequence[DatasetFile]:
        """Return the files of a field of a valid form."""
        return [DatasetFile(str(file.name), file.read()) for file in self.cleaned_data[name]]


@require_http_methods(["GET", "POST"])
@console_page
def audit(request: HttpRequest) -> HttpResponse:
    """Ask for the files of a dataset; a POST shows what an audit finds in them."""
    form = AuditForm(posted(request), request.FILES or None)
    audits: list[ShownAudit] = []

    def examine() -> None:
        audits.append(audit_files(form.read("dataset"), form.read("practice"), form.choices))

    attempt(form, examine)
    page = {"form": form, "audit": next(iter(audits), None)}
    return render(request, "console/study/audit.html", page, status=status_of(form))
