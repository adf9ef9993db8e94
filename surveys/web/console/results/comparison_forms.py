from typing import Any

from django import forms
from django.contrib.auth.models import User

from surveys.models import CollectionKind, Study
from surveys.results.comparisons.candidates import Candidate, Candidates, list_candidates
from surveys.results.comparisons.comparing import ComparisonRequest, list_keys
from surveys.results.comparisons.importing import LARGEST_FILE, CollectionFile
from surveys.results.comparisons.published import LAYOUTS, PublishedFile
from surveys.results.run_inspection import write_recipes
from surveys.web.console.study.audits import FilesField

LONGEST_NAME, LONGEST_DETAIL, LONGEST_LANGUAGE = 60, 200, 35
KEY_LABELS = {
    "id": "id",
    "number": "number of the row in the stimuli",
    "words": "the two words",
    "texts": "the two words and both texts",
}
GROUPS = {
    "collections": "Imported for comparison",
    "same_stimuli": "Studies with the same stimuli",
    "other_stimuli": "Studies with other stimuli",
    "runs": "Runs of other studies",
}


class ComparisonForm(forms.Form):
    """What to compare the ratings of a study with."""

    second = forms.ChoiceField(label="Compare with")
    recipe = forms.ChoiceField(
        initial="raw",
        help_text="For the ratings of both. raw compares them as given: calibration and filtering "
        "make annotators more alike, so that reliabilities are too high.",
    )
    match = forms.ChoiceField(
        label="Match pairs by", required=False,
        help_text="What fits: the number for the same stimuli and for two languages, else the "
        "texts.",
    )  # fmt: skip
    only_matched = forms.BooleanField(
        required=False, label="Leave out pairs that only one has, instead of refusing them"
    )

    def __init__(self, study: Study, user: User, data: Any = None) -> None:
        super().__init__(data)
        candidates = list_candidates(study, user)
        self.has_candidates = any(candidates)
        self.fields["second"].choices = _list_groups(candidates)  # type: ignore[attr-defined]
        self.fields["recipe"].choices = [(name, name) for name in write_recipes()]  # type: ignore[attr-defined]
        match: Any = self.fields["match"]
        match.choices = [
            ("", "what fits"), *((key, KEY_LABELS[key]) for key in list_keys(study))
        ]  # fmt: skip
        if study.kind.n_contexts == 1:
            del self.fields["recipe"]  # that of the design
            label = "Leave out items that only one has, instead of refusing them"
            self.fields["only_matched"].label = label
            match.label = "Match items by"
            match.help_text = (
                "What fits: the id if equal ids are of equal words, else the texts or words."
            )

    def read_request(self) -> ComparisonRequest:
        """Return a valid form's request."""
        return ComparisonRequest(**{name: self.cleaned_data[name] for name in self.fields})


class PublishedForm(forms.Form):
    """The files of a published data set to compare a study with."""

    name = forms.CharField(max_length=LONGEST_NAME, help_text="In tables and plots.")
    layout = forms.ChoiceField(choices=[(name, name) for name in LAYOUTS])
    file = FilesField(
        label="Files",
        help_text="As they were published, with the gold, or a zip archive of them: of dwug, with "
        f"a folder for each lemma. Up to {LARGEST_FILE // 1_000_000} MB together, also unpacked.",
    )

    def read_files(self) -> list[PublishedFile]:
        """Return the files of a valid form."""
        files = self.cleaned_data["file"]
        return [PublishedFile(file.name, file.read()) for file in files]


class CollectionForm(forms.Form):
    """A file of ratings to compare a study with."""

    name = forms.CharField(max_length=LONGEST_NAME, help_text="In tables and plots.")
    file = forms.FileField(
        label="File of ratings",
        help_text="CSV, TSV or Parquet with the columns language, pair, context, annotator and "
        f"rating, up to {LARGEST_FILE // 1_000_000} MB. Pairs are numbered as the rows of this "
        "study’s stimuli. Names of annotators are replaced by numbers.",
    )
    kind = forms.ChoiceField(
        choices=CollectionKind.choices, widget=forms.RadioSelect, label="Rated by"
    )
    model = forms.CharField(
        max_length=LONGEST_DETAIL, required=False, label="Name of the model",
        help_text="Of a language model, unless the file has a column model.",
    )  # fmt: skip
    model_version = forms.CharField(
        max_length=LONGEST_DETAIL, required=False, label="Version of the model"
    )
    prompt_sha256 = forms.CharField(
        max_length=LONGEST_DETAIL, required=False, label="SHA-256 of the prompt",
        help_text="64 hexadecimal digits.",
    )  # fmt: skip
    rated_on = forms.CharField(
        max_length=10, required=False, label="Day on which it rated",
        help_text="Such as 2026-05-31.",
    )  # fmt: skip
    language = forms.CharField(
        max_length=LONGEST_LANGUAGE, required=False, label="Language of the texts",
        help_text="If it differs from this study’s language, such as fi.",
    )  # fmt: skip
    scale_minimum = forms.FloatField(required=False, label="Lowest point of the scale")
    scale_maximum = forms.FloatField(required=False, label="Highest point of the scale")
    scale_step = forms.FloatField(
        required=False, label="Step of the scale",
        help_text="If the scale differs from this study’s scale.",
    )  # fmt: skip

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        file = cleaned.get("file")
        if file and file.size > LARGEST_FILE:
            self.add_error("file", f"The file has {file.size:,} bytes, more than {LARGEST_FILE:,}.")
        points = self._points(cleaned)
        if any(point is not None for point in points) and None in points:
            self.add_error("scale_step", "Give all three numbers of the scale, or none.")
        return cleaned

    @property
    def main_fields(self) -> list[forms.BoundField]:
        """Return the fields that every file needs."""
        return [self[name] for name in ("name", "file", "kind")]

    @property
    def model_fields(self) -> list[forms.BoundField]:
        """Return the fields about a language model."""
        return [self[name] for name in ("model", "model_version", "prompt_sha256", "rated_on")]

    @property
    def other_fields(self) -> list[forms.BoundField]:
        """Return the fields for another language or scale."""
        return [self[name] for name in ("language", "scale_minimum", "scale_maximum", "scale_step")]

    def uploaded(self) -> CollectionFile:
        """Return what a valid form says."""
        names = ("name", "kind", "model", "model_version", "prompt_sha256", "rated_on", "language")
        file = self.cleaned_data["file"]
        minimum, maximum, step = self._points(self.cleaned_data)
        scale = None if None in (minimum, maximum, step) else (minimum, maximum, step)
        return CollectionFile(
            file_name=file.name,
            data=file.read(),
            scale=scale,  # type: ignore[arg-type]
            **{name: self.cleaned_data[name] for name in names},
        )

    def _points(self, cleaned: dict[str, Any]) -> list[float | None]:
        return [cleaned.get(f"scale_{end}") for end in ("minimum", "maximum", "step")]


def _list_groups(candidates: Candidates) -> list[tuple[str, list[tuple[str, str]]]]:
    """Return the groups of candidates that are not empty, as choices."""
    groups: dict[str, list[Candidate]] = candidates._asdict()
    return [
        (GROUPS[name], [(candidate.code, candidate.label) for candidate in group])
        for name, group in groups.items()
        if group
    ]
