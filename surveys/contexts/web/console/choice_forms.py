from collections.abc import Sequence
from typing import Any

from django import forms
from django.http import QueryDict

from surveys.contexts.candidates import LARGEST_FILE, CheckedCandidates
from surveys.contexts.choices import Chosen
from surveys.contexts.models import SkipReason
from surveys.contexts.picking import (
    CANDIDATES,
    LARGEST_SCORES,
    MOST_CANDIDATES,
    Picking,
    check_file,
)
from surveys.contexts.queue import KeyedCandidate
from surveys.contexts.search.listing import has_corpora_dir
from surveys.errors import ImportRefused
from surveys.web.console.study.stimuli_forms import MAX_CONTEXT_LENGTH, StudyForm


class PickingForm(forms.Form):
    """How candidates are picked among windows."""

    number = forms.IntegerField(
        min_value=2, max_value=MOST_CANDIDATES, initial=CANDIDATES,
        label="Candidates for each pair",
        help_text="Two for each model, the others at random.",
    )  # fmt: skip
    distance_within = forms.IntegerField(
        required=False,
        min_value=0,
        max_value=100,
        label="Largest difference in distance, in words",
        help_text="In the two texts of a model, between the words of the pair. Empty: any.",
    )

    def read_picking(self, scores: Any) -> Picking:
        """Return what the cleaned form says, with an uploaded file of scores or None."""
        cleaned = self.cleaned_data
        number, distance_within = cleaned["number"] or CANDIDATES, cleaned["distance_within"]
        if scores is None:
            return Picking(number, distance_within)
        return Picking(number, distance_within, scores.read(LARGEST_SCORES + 1), scores.name)


class CandidatesForm(PickingForm):
    """A file of candidates, or a file of windows to pick candidates from."""

    file = forms.FileField(
        allow_empty_file=True,
        label="File with the candidates or windows",
        help_text="candidates.parquet or windows.parquet, as python -m preprocess writes them, up "
        f"to {LARGEST_FILE // 1_000_000} MB.",
        error_messages={"required": "Choose the file with the candidates or the windows."},
    )
    scores = forms.FileField(
        required=False,
        allow_empty_file=True,
        label="File with scores of the windows, if you have one",
        help_text="As python -m preprocess score writes it, or TSV, CSV or Parquet with the "
        f"columns window and score, up to {LARGEST_SCORES // 1_000_000} MB. Without it, candidates "
        "are picked at random.",
    )

    checked: CheckedCandidates | None = None
    file_name = caption = ""

    def __init__(self, *sent: Any, **more: Any) -> None:
        super().__init__(*sent, **more)
        self.fields["number"].required = False

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        file, scores = cleaned.get("file"), cleaned.get("scores")
        if self.errors.keys() & {"file", "scores", "number", "distance_within"}:
            return cleaned
        if file is None:
            if scores is not None:
                self.add_error("scores", "Scores need the file with their windows.")
            return cleaned
        self.file_name = ", ".join(part.name for part in (file, scores) if part is not None)
        try:
            data = file.read(LARGEST_FILE + 1)
            self.checked = check_file(data, self.read_picking(scores))
        except ImportRefused as error:
            self.add_error("scores", str(error).splitlines())
            return cleaned
        if n := len(self.checked.errors):
            what = f"{n:,} error{'' if n == 1 else 's'} in {file.name}"
            self.caption = f"Errors in {file.name}"
            self.add_error("file", f"{what}; see below. Nothing was saved.")
        return cleaned


class BeginForm(CandidatesForm, StudyForm):
    """A new study that begins with candidates for its contexts, or with a search for them."""

    field_order = (
        "title", "slug", "language", "design", "file", "scores", "number", "distance_within",
    )  # fmt: skip

    def __init__(self, *sent: Any) -> None:
        super().__init__(*sent)
        if has_corpora_dir():
            self.fields["file"].required = False
            self.fields["file"].label = "File with the candidates or windows, if you have one"
            self.fields["file"].help_text += " Leave it empty to search the corpora of this site."


class DiscardingForm(forms.Form):
    """New candidates, and whether choices may go with the present candidates."""

    discards_choices = forms.BooleanField(
        required=False,
        label="Discard the choices made so far",
        help_text="The log keeps them. Stimuli made from choices stay, without sources.",
    )

    def __init__(self, *sent: Any, has_choices: bool, **more: Any) -> None:
        super().__init__(*sent, **more)
        if not has_choices:
            del self.fields["discards_choices"]


class ReplacementForm(DiscardingForm, CandidatesForm):
    """Another file of candidates or windows."""

    field_order = ("file", "scores", "number", "distance_within", "discards_choices")


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
