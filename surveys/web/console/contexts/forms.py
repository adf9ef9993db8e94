from collections.abc import Sequence
from typing import Any

from django import forms
from django.http import QueryDict

from surveys.corpora.listing import has_corpora_dir
from surveys.models import SkipReason
from surveys.selection.candidates import LARGEST_FILE, CheckedCandidates, check_candidates
from surveys.selection.choices import Chosen
from surveys.selection.queue import KeyedCandidate
from surveys.web.console.study.stimuli_forms import MAX_CONTEXT_LENGTH, StudyForm


class CandidatesForm(forms.Form):
    """A file of candidates."""

    file = forms.FileField(
        allow_empty_file=True,
        label="File with the candidates",
        help_text="candidates.parquet, as python -m preprocess candidates writes it, up to "
        f"{LARGEST_FILE // 1_000_000} MB.",
        error_messages={"required": "Choose the file with the candidates."},
    )

    checked: CheckedCandidates | None = None
    file_name = ""

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        file = cleaned.get("file")
        if file is None:
            return cleaned
        self.file_name = file.name
        self.checked = check_candidates(file.read(LARGEST_FILE + 1))
        if n := len(self.checked.errors):
            what = f"{n:,} error{'' if n == 1 else 's'}"
            self.add_error("file", f"{what} in the file; see below. Nothing was saved.")
        return cleaned


class BeginForm(StudyForm, CandidatesForm):
    """A new study that begins with candidates for its contexts, or with a search for them."""

    field_order = ("title", "slug", "language", "preset", "file")

    def __init__(self, *sent: Any) -> None:
        super().__init__(*sent)
        if has_corpora_dir():
            self.fields["file"].required = False
            self.fields["file"].label = "File with the candidates, if you have one"
            self.fields["file"].help_text += " Leave it empty to search the corpora of this site."


class DiscardingForm(forms.Form):
    """Other candidates, and whether choices may go with the present ones."""

    discards_choices = forms.BooleanField(
        required=False,
        label="Discard the choices made so far",
        help_text="The log keeps them. Stimuli that were made of them stay, without their sources.",
    )

    def __init__(self, *sent: Any, has_choices: bool, **more: Any) -> None:
        super().__init__(*sent, **more)
        if not has_choices:
            del self.fields["discards_choices"]


class ReplacementForm(DiscardingForm, CandidatesForm):
    """Another file of candidates."""


class SelectionSettingsForm(forms.Form):
    """How experts choose."""

    experts = forms.ChoiceField(
        choices=[("one", "one"), ("two", "two, and a third where they differ")],
        label="Experts for each pair",
        help_text="Neither of two sees the other’s choice. Pairs that are decided stay so.",
    )
    shows_scores = forms.BooleanField(
        required=False,
        label="Show scores and distances before the choice",
        help_text="Otherwise they are shown after it, so that models do not influence experts.",
    )

    @property
    def is_double(self) -> bool:
        """Return whether a valid form asks for two experts."""
        return bool(self.cleaned_data["experts"] == "two")


class ChoiceForm(forms.Form):
    """An expert's choice for a pair; the texts may be edited."""

    first = forms.IntegerField(required=False)
    second = forms.IntegerField(required=False)
    reason = forms.ChoiceField(required=False, choices=SkipReason.choices)

    def __init__(
        self, data: QueryDict | None = None, *, candidates: Sequence[KeyedCandidate]
    ) -> None:
        super().__init__(data)
        for _, candidate in candidates:
            self.fields[f"text{candidate.number}"] = forms.CharField(
                required=False,
                strip=False,
                max_length=MAX_CONTEXT_LENGTH,
                label="Text, both words between <strong> and </strong>",
                initial=candidate.marked.marked(),
                widget=forms.Textarea(attrs={"rows": 7, "dir": "auto"}),
            )
        self.numbers = [candidate.number for _, candidate in candidates]

    @property
    def chosen(self) -> Chosen:
        """Return what a valid form says."""
        cleaned = self.cleaned_data
        texts = {number: cleaned[f"text{number}"] for number in self.numbers}
        return Chosen(cleaned["first"], cleaned["second"], cleaned["reason"], texts)
