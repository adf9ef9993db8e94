"""Forms of submissions: files for a phase, a note, the submission that counts."""

from collections.abc import Sequence
from typing import Any, ClassVar

from django import forms
from django.core.files.uploadedfile import UploadedFile
from django.utils.datastructures import MultiValueDict

from surveys.sharedtasks.models import Phase
from surveys.sharedtasks.submissions import MOST_NOTED
from surveys.sharedtasks.uploads import LARGEST_UPLOAD


class FilesInput(forms.ClearableFileInput):
    """A field for several files."""

    allow_multiple_selected = True
    template_name = "django/forms/widgets/file.html"

    def value_from_datadict(
        self, data: Any, files: "MultiValueDict[str, UploadedFile[Any]]", name: str
    ) -> Any:
        return files.getlist(name)


class FilesField(forms.FileField):
    """One or more files, of 4 MB together at most."""

    widget = FilesInput
    default_error_messages: ClassVar = {
        "required": "Choose result files, or a zip archive with result files.",
        "too_large": "The files have more than 4 MB together. Send them as a zip archive, or with "
        "fewer digits.",
    }

    def clean(self, data: Sequence[Any], initial: Any = None) -> "list[UploadedFile[Any]]":
        files = [super(FilesField, self).clean(file) for file in data or [None]]
        if sum(file.size or 0 for file in files) > LARGEST_UPLOAD:
            raise forms.ValidationError(self.error_messages["too_large"], code="too_large")
        return files


class PhaseForm(forms.Form):
    """A form with a phase, which is hidden if there is one alone."""

    phase = forms.ChoiceField(
        error_messages={"invalid_choice": "This phase takes no submissions now. Choose another."},
        widget=forms.RadioSelect,
    )

    def __init__(self, *given: Any, phases: Sequence[Phase], **more: Any) -> None:
        super().__init__(*given, **more)
        self.offer(phases)

    def offer(self, phases: Sequence[Phase]) -> None:
        """Let the reader choose among phases."""
        self.phases = {phase.name: phase for phase in phases}
        field = self.fields["phase"]
        field.choices = [(name, name) for name in self.phases]  # type: ignore[attr-defined]
        self.initial.setdefault("phase", next(iter(self.phases), ""))

    def clean_phase(self) -> Phase:
        return self.phases[self.cleaned_data["phase"]]


class FilesForm(PhaseForm):
    """Result files for a phase."""

    results = FilesField(
        label="Result files",
        allow_empty_file=True,  # the check names an empty file
        help_text="One zip archive, or several .tsv files; 4 MB together at most.",
        widget=FilesInput(attrs={"accept": ".zip,.tsv,.txt,.gold", "multiple": True}),
    )


class NoteForm(PhaseForm):
    """A note on a submission for the team itself."""

    note = forms.CharField(
        max_length=MOST_NOTED,
        required=False,
        label="Note (optional)",
        help_text="For your team alone, such as the settings of the run.",
    )


class OwnNoteForm(forms.Form):
    """The note on a submission that was sent."""

    note = forms.CharField(max_length=MOST_NOTED, required=False, label="Note")
