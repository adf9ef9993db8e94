from dataclasses import fields, replace
from typing import Any

from babel import Locale
from django import forms
from django.utils.functional import cached_property
from django.utils.text import slugify

from surveys.models import Study
from surveys.study.planning.presets import CHOICES, PRESETS
from surveys.study.stimuli.checkpoints import check_checkpoints
from surveys.study.stimuli.load import (
    LARGEST_FILE,
    CheckedFile,
    StudyDesign,
    check_file,
    check_row,
    fingerprint_file,
    fingerprint_row,
    list_language_problems,
    list_slug_problems,
    pack_file,
    unpack_file,
)

MAX_CONTEXT_LENGTH, MAX_REASON_LENGTH = 20_000, 200
RATINGS, BLOCK_SIZE = 11, 20  # initial values of a design
CONTEXTS = ("context1", "context2")


def list_languages() -> list[tuple[str, str]]:
    """Return code and English name of the languages with a two-letter code."""
    names = Locale("en").languages.items()
    found = [(code, name) for code, name in names if len(code) == 2]
    return sorted(found, key=lambda language: language[1])


class UploadForm(forms.Form):
    """A stimuli file; one with warnings is kept in the form until it is confirmed."""

    file = forms.FileField(
        required=False,
        allow_empty_file=True,
        label="File with the stimuli",
        help_text=(
            f"UTF-8 text, columns separated by tabs, up to {LARGEST_FILE // 1_000_000} MB. In a "
            "spreadsheet: save as “Unicode text” or “tab separated”, in UTF-8."
        ),
    )
    kept = forms.CharField(required=False, widget=forms.HiddenInput)
    confirmed = forms.CharField(required=False, widget=forms.HiddenInput)

    checked: CheckedFile | None = None
    stimuli = b""

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        if "file" not in self.errors:
            self._check(cleaned)
        return cleaned

    def _check(self, cleaned: dict[str, Any]) -> None:
        file = cleaned.get("file")
        if file and file.size > LARGEST_FILE:
            self.add_error("file", _describe_size(file.size))
            return
        data = file.read() if file is not None else unpack_file(cleaned.get("kept", ""))
        if not data and file is None:
            self.add_error("file", "Choose the file with the stimuli.")
            return
        self.stimuli = data or b""
        self.checked = check_file(self.stimuli)
        if self.checked.errors:
            self.add_error("file", _count_errors(self.checked))

    @property
    def fingerprint(self) -> str:
        """Return the fingerprint of the file to be confirmed."""
        return fingerprint_file(self.stimuli)

    @cached_property
    def kept_file(self) -> str:
        """Return the file as the form keeps it until it is confirmed."""
        return pack_file(self.stimuli)

    @property
    def is_kept(self) -> bool:
        """Return whether the form keeps a valid file, which need not be chosen again."""
        return self.checked is not None and not self.checked.errors and bool(self.kept_file)

    @property
    def asks_to_confirm(self) -> bool:
        """Return whether the file has no errors, but warnings that are not confirmed."""
        if self.errors or self.checked is None or not self.checked.warnings:
            return False
        return bool(self.cleaned_data["confirmed"] != self.fingerprint)


class CheckpointsForm(forms.Form):
    """A file of checkpoint items, and the number of them in each assignment."""

    file = forms.FileField(
        allow_empty_file=True,
        label="File with the checkpoint items",
        help_text="UTF-8 text, columns separated by tabs: word1, word2, context, word1_context, "
        "word2_context, lowest, highest.",
    )
    per_assignment = forms.IntegerField(
        min_value=1, max_value=1000, initial=1, label="Items in each assignment"
    )

    checked: CheckedFile | None = None
    items = b""

    def __init__(self, study: Study, *sent: Any) -> None:
        super().__init__(*sent)
        self.study = study

    def clean_file(self) -> Any:
        file = self.cleaned_data["file"]
        if file.size > LARGEST_FILE:
            raise forms.ValidationError(_describe_size(file.size))
        self.items = file.read()
        self.checked = check_checkpoints(self.study, self.items)
        if self.checked.errors:
            raise forms.ValidationError(_count_errors(self.checked))
        return file


def _count_errors(checked: CheckedFile) -> str:
    n = len(checked.errors)
    return f"{n:,} error{'' if n == 1 else 's'} in the file; see below. Nothing was saved."


def _describe_size(n_bytes: int) -> str:
    return (
        f"The file has {n_bytes / 1e6:,.1f} MB; the limit is {LARGEST_FILE // 1_000_000} MB. "
        "If it is the right file, split the study, or ask an operator to import it."
    )


class NewStudyForm(UploadForm):
    """The title, language and stimuli of a new study."""

    title = forms.CharField(
        max_length=200,
        help_text="Shown to researchers only; the title for annotators is set under Design.",
    )
    slug = forms.CharField(
        max_length=50,
        required=False,
        label="Short name",
        help_text="Letters, digits and hyphens, for URLs and files. Empty: derived from the title.",
    )
    language = forms.CharField(
        max_length=35,
        label="Language of the texts",
        help_text="The code, such as en, hr, sl, fi or pt-BR; type a name to search.",
        widget=forms.TextInput(attrs={"list": "languages", "autocomplete": "off"}),
    )
    preset = forms.ChoiceField(
        required=False,
        choices=CHOICES,
        label="Design to start from",
        help_text=f"Cosima starts with a scale from 0 to 6, {RATINGS} ratings of each context and "
        f"{BLOCK_SIZE} pairs in a block. Everything can be changed in the draft.",
    )
    field_order = ("title", "slug", "language", "preset", "file")

    def clean_slug(self) -> str:
        slug: str = self.cleaned_data["slug"].strip()
        slug = slug or slugify(self.cleaned_data.get("title", ""))[:50].strip("-")
        if not slug:
            raise forms.ValidationError("Give the study a short name in Latin letters.")
        _refuse(list_slug_problems(slug))
        return slug

    def clean_language(self) -> str:
        language: str = self.cleaned_data["language"].strip()
        _refuse(list_language_problems(language))
        return language

    @property
    def design(self) -> StudyDesign:
        """Return the initial design; for a valid form."""
        start = StudyDesign(
            slug=self.cleaned_data["slug"],
            title=self.cleaned_data["title"],
            language=self.cleaned_data["language"],
            ratings_per_context=RATINGS,
            block_size=BLOCK_SIZE,
        )
        known = {field.name for field in fields(StudyDesign)}
        return replace(start, **{name: x for name, x in self._preset.items() if name in known})

    @property
    def settings(self) -> dict[str, Any]:
        """Return the settings of the preset that are not part of the initial design."""
        known = {field.name for field in fields(StudyDesign)}
        return {name: setting for name, setting in self._preset.items() if name not in known}

    @property
    def _preset(self) -> dict[str, Any]:
        preset = PRESETS.get(self.cleaned_data["preset"])
        return preset.settings_for(self.cleaned_data["language"]) if preset else {}


def _refuse(problems: list[str]) -> None:
    if problems:
        raise forms.ValidationError([problem[:1].upper() + problem[1:] for problem in problems])


class ReasonForm(forms.Form):
    """The reason for changing or deleting a row; `shown` is the fingerprint of the row."""

    shown = forms.CharField(widget=forms.HiddenInput)
    reason = forms.CharField(
        max_length=MAX_REASON_LENGTH, label="Reason", help_text="Kept in the log."
    )


class RowForm(ReasonForm):
    """A row of the stimuli, checked like a row of a file."""

    field_order = ("word1", "word2", *CONTEXTS)

    def __init__(self, data: Any = None, *, row: dict[str, str], direction: str) -> None:
        super().__init__(data, initial={**row, "shown": fingerprint_row(row)})
        for column in row:
            is_context = column in CONTEXTS
            widget = forms.Textarea(attrs={"rows": 6}) if is_context else forms.TextInput()
            widget.attrs["dir"] = direction
            self.fields[column] = forms.CharField(
                required=False,  # check_row reports missing values
                strip=False,
                max_length=MAX_CONTEXT_LENGTH,
                label=describe_column(column),
                widget=widget,
            )
        self.columns = tuple(row)
        self.order_fields((*row, "reason", "shown"))

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        if not self.errors.keys() & set(self.columns):
            for problem in check_row(self.row).errors:
                column = problem.column if problem.column in self.fields else None
                text = f"{problem.what}; {problem.advice}" if problem.advice else problem.what
                self.add_error(column, f"{text[:1].upper()}{text[1:]}.")
        return cleaned

    @property
    def row(self) -> dict[str, str]:
        """Return the submitted row by column."""
        return {column: self.cleaned_data[column] for column in self.columns}


def describe_column(column: str) -> str:
    """Return the label of a column."""
    word, _, context = column.partition("_")
    if context:
        return f"Word {word[-1]} as it occurs in context {context[-1]}"
    what, number = column[:-1], column[-1]
    if what == "context":
        return f"Context {number}, both words between <strong> and </strong>"
    return f"Word {number}, dictionary form"
