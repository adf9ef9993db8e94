from collections.abc import Sequence
from typing import Any, ClassVar, NamedTuple

from django import forms
from django.utils.functional import cached_property
from django.utils.text import slugify

from surveys.models import Study
from surveys.study.design import list_published, published_designs, start_study
from surveys.study.languages import find_language
from surveys.study.stimuli.checkpoints import RANGE, check_checkpoints, columns_of
from surveys.study.stimuli.kinds import (
    COLUMNS,
    ENCODING_CHOICES,
    SEPARATOR_CHOICES,
    STANDARD,
    TEXTS,
    Proposal,
    code_of,
    kind_of,
    propose_reading,
    recognise_file,
)
from surveys.study.stimuli.load import (
    LARGEST_FILE,
    CheckedFile,
    check_file,
    check_row,
    fingerprint_file,
    fingerprint_row,
    pack_file,
    unpack_file,
)
from surveys.web.forms import SettingsForm
from surveys.web.rendering.study_page import direction_of

MAX_CONTEXT_LENGTH, MAX_REASON_LENGTH = 20_000, 200
MAX_NAME_LENGTH, MAX_CODE_LENGTH = 100, 40
TOO_LARGE_TO_KEEP = (
    "It is too large to be shown before it is read: save it as UTF-8 text, its columns separated "
    "by tabs."
)
START_VALUES = Study()
OF_CONTEXTS = [
    ("word1, word2", "the two words, as in a dictionary"),
    ("context1, context2", "two short texts, each with both words between <strong> and </strong>"),
    (
        "word1_context1, word2_context1, word1_context2, word2_context2",
        "the words as they occur in the texts",
    ),
]
OF_TEXTS = [
    ("text1, text2", "a text for each word, which is between <strong> and </strong>"),
    ("form1, form2", "the words as they occur in these texts"),
]
OTHERS = ("any other", "such as pos, the part of speech: it is kept with the row")
LONG = ("context1", "context2", *TEXTS)  # columns with texts
LABELS = {
    "id": "Id", "text1": "Text 1, its word between <strong> and </strong>",
    "text2": "Text 2, its word between <strong> and </strong>",
    "form1": "Word 1 as it occurs in text 1", "form2": "Word 2 as it occurs in text 2",
}  # fmt: skip


class FileFormat(NamedTuple):
    """The columns of a stimuli file, and its example: a static file."""

    rows: str
    columns: list[tuple[str, str]]
    example: str


def describe_format(study: Study) -> FileFormat:
    """Return the format of a study's stimuli file in words."""
    has_texts = TEXTS[0] in study.kind.columns
    if study.kind.n_contexts == 2:
        return FileFormat("pair", OF_CONTEXTS, "examples/stimuli.tsv")
    words = ("word1, word2", "the two words, as in a dictionary")
    if study.same_word:
        words = ("word1, word2", "the same word in both columns, as in a dictionary")
    columns = [("id", "a name of the row; empty: its number"), words]
    columns += OF_TEXTS if has_texts else []
    example = "uses" if study.same_word else study.item_kind
    return FileFormat("item", [*columns, OTHERS], f"examples/{example}.tsv")


class UploadForm(forms.Form):
    """A stimuli file, kept in the form until its kind and its warnings are confirmed."""

    file = forms.FileField(
        required=False,
        allow_empty_file=True,
        label="File with the stimuli",
        help_text="Tab-separated UTF-8 text, CSV or an Excel workbook (.xlsx), up to "
        f"{LARGEST_FILE // 1_000_000} MB.",
    )
    kept = forms.CharField(required=False, widget=forms.HiddenInput)
    name = forms.CharField(required=False, max_length=MAX_NAME_LENGTH, widget=forms.HiddenInput)
    confirmed = forms.CharField(required=False, widget=forms.HiddenInput)
    separator = forms.ChoiceField(
        required=False, choices=SEPARATOR_CHOICES, label="Columns are separated by"
    )
    encoding = forms.ChoiceField(required=False, choices=ENCODING_CHOICES)
    read = forms.CharField(required=False, max_length=MAX_CODE_LENGTH, widget=forms.HiddenInput)

    numbers: Sequence[str] = ()
    what = "file with the stimuli"
    checked: CheckedFile | None = None
    proposal: Proposal | None = None
    kind = STANDARD
    data_sent = b""

    def __init__(self, *sent: Any, study: Study, **more: Any) -> None:
        super().__init__(*sent, **more)
        self.study = study

    @property
    def format(self) -> FileFormat:
        """Return what the file has to hold, and an example."""
        return describe_format(self.study)

    @property
    def columns(self) -> Sequence[str]:
        """Return the columns of the file."""
        return self.study.kind.columns

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        if "file" not in self.errors:
            self._take_file(cleaned)
        return cleaned

    def _take_file(self, cleaned: dict[str, Any]) -> None:
        file = cleaned.get("file")
        if file and file.size > LARGEST_FILE:
            self.add_error("file", _describe_size(file.size))
            return
        data = file.read() if file is not None else unpack_file(cleaned.get("kept", ""))
        if not data and file is None:
            self.add_error("file", f"Choose the {self.what}.")
            return
        self.data_sent = data or b""
        self.kept_name = file.name[:MAX_NAME_LENGTH] if file else cleaned.get("name", "")
        self._choose_kind(cleaned if file is None else {})
        if self.proposal is None:
            self.checked = self._check()
            if self.checked.errors:
                self.add_error("file", _count_errors(self.checked))
        elif not self.kept_file:
            self.add_error("file", f"The file looks like {self.kind}. {TOO_LARGE_TO_KEEP}")

    def _choose_kind(self, chosen: dict[str, Any]) -> None:
        """Set the kind of the file, and a proposal unless the researcher has confirmed it."""
        recognised = recognise_file(self.data_sent, self.columns, self.study.language)
        self.kind = recognised
        if chosen.get("separator") and chosen.get("encoding"):
            self.kind = kind_of(chosen["separator"], chosen["encoding"])
        if self.kind == recognised == STANDARD or chosen.get("read") == code_of(self.kind):
            return
        self.proposal = propose_reading(
            self.data_sent, self.columns, self.kind,
            is_recognised=self.kind == recognised, numbers=self.numbers,
        )  # fmt: skip
        shown = {"separator": self.kind.separator, "encoding": self.kind.encoding}
        self.kind_form = KindForm(initial=shown)

    def _check(self) -> CheckedFile:
        return check_file(self.data_sent, self.study, self.kind)

    @property
    def fingerprint(self) -> str:
        """Return the fingerprint of the file to be confirmed."""
        return fingerprint_file(self.data_sent)

    @cached_property
    def kept_file(self) -> str:
        """Return the file as the form keeps it until it is confirmed."""
        return pack_file(self.data_sent)

    @property
    def is_kept(self) -> bool:
        """Return whether the form keeps a usable file, which need not be chosen again."""
        is_usable = self.checked is not None and not self.checked.errors
        return bool((self.proposal or is_usable) and self.kept_file)

    @property
    def chosen_kind(self) -> dict[str, str]:
        """Return the hidden fields that hold a confirmed kind."""
        if self.proposal or self.kind == STANDARD:
            return {}
        fields = {"read": code_of(self.kind)}
        if not self.kind.is_workbook:
            fields |= {"separator": self.kind.separator, "encoding": self.kind.encoding}
        return fields

    @property
    def asks_to_confirm(self) -> bool:
        """Return whether the file has no errors, but warnings that are not confirmed."""
        if self.errors or self.checked is None or not self.checked.warnings:
            return False
        return bool(self.cleaned_data["confirmed"] != self.fingerprint)

    @property
    def is_settled(self) -> bool:
        """Return whether the kind and the warnings of the file need no confirmation."""
        return self.proposal is None and not self.asks_to_confirm


class KindForm(forms.Form):
    """Separator and encoding of a proposal, as they were recognised or chosen."""

    separator = forms.ChoiceField(choices=SEPARATOR_CHOICES, label="Columns are separated by")
    encoding = forms.ChoiceField(choices=ENCODING_CHOICES)


class CheckpointsForm(UploadForm):
    """A file of checkpoint items, and how many each assignment has."""

    per_assignment = forms.IntegerField(
        min_value=1, max_value=1000, initial=1, label="Items in each assignment"
    )
    numbers = RANGE
    what = "file with the checkpoint items"

    def __init__(self, *sent: Any, study: Study) -> None:
        super().__init__(*sent, study=study)
        self.fields["file"].label = self.what.capitalize()

    @property
    def columns(self) -> Sequence[str]:
        """Return the columns of the file."""
        return columns_of(self.study)

    def _check(self) -> CheckedFile:
        return check_checkpoints(self.study, self.data_sent, self.kind)

    @property
    def asks_to_confirm(self) -> bool:
        """Return False: warnings about checkpoint items are shown, but not confirmed."""
        return False


def _count_errors(checked: CheckedFile) -> str:
    n = len(checked.errors)
    return f"{n:,} error{'' if n == 1 else 's'} in the file; see below. Nothing was saved."


def _describe_size(n_bytes: int) -> str:
    return (
        f"The file has {n_bytes / 1e6:,.1f} MB; the limit is {LARGEST_FILE // 1_000_000} MB. "
        "If it is the right file, split the study, or ask an operator to import it."
    )


class StudyForm(SettingsForm):
    """The title, the languages and the published design of a new study."""

    slug = forms.CharField(
        max_length=50,
        required=False,
        label="Short name",
        help_text="Letters, digits and hyphens, for URLs and files. Empty: derived from the title.",
    )
    design = forms.ChoiceField(
        required=False,
        choices=lambda: [("", "Cosima’s start values"), *list_published(START_VALUES)],
        label="Design to start from",
        help_text=f"Cosima starts with a scale from 0 to 6, {START_VALUES.ratings_per_context} "
        f"ratings of each context and {START_VALUES.block_size} pairs in a block. Everything can "
        "be changed in the draft.",
    )

    class Meta(SettingsForm.Meta):
        model = Study
        fields = ("title", "slug", "language", "language2")
        widgets: ClassVar = dict.fromkeys(
            ("language", "language2"),
            forms.TextInput(attrs={"list": "languages", "autocomplete": "off"}),
        )
        help_texts: ClassVar = {"language": "A name or code, such as Croatian, hr or pt-BR."}

    def __init__(self, *sent: Any, n_languages: int = 1) -> None:
        super().__init__(*sent, instance=START_VALUES)
        if n_languages == 1:
            del self.fields["language2"]
        else:
            self.fields["language2"].required = True

    def clean_slug(self) -> str:
        slug: str = self.cleaned_data["slug"].strip()
        slug = slug or slugify(self.cleaned_data.get("title", ""))[:50].strip("-")
        if not slug:
            raise forms.ValidationError("Give the study a short name in Latin letters.")
        return slug

    def clean_language(self) -> str:
        return find_language(self.cleaned_data["language"])

    def clean_language2(self) -> str:
        return find_language(self.cleaned_data["language2"])

    @property
    def new_study(self) -> Study:
        """Return the new study, not stored, as far as the form is valid."""
        given = {name: self.cleaned_data.get(name, "") for name in self.Meta.fields}
        return start_study(self.cleaned_data.get("design", ""), **given)


class NewStudyForm(UploadForm, StudyForm):
    """A new study by a design that was chosen before, and the file with its stimuli."""

    design = forms.ChoiceField(
        required=False, widget=forms.HiddenInput,
        choices=lambda: [("", ""), *((name, name) for name in published_designs())],
    )  # fmt: skip
    field_order = ("title", "slug", "language", "language2", "file")

    def __init__(self, *sent: Any, design: str) -> None:
        n_languages = published_designs()[design].item.languages
        super().__init__(*sent, study=start_study(design), n_languages=n_languages)
        self.fields["design"].initial = design

    def clean(self) -> dict[str, Any]:
        self.study = self.new_study
        return super().clean()


class ReasonForm(forms.Form):
    """The reason for changing or deleting a row; `shown` is the fingerprint of the row."""

    shown = forms.CharField(widget=forms.HiddenInput)
    reason = forms.CharField(
        max_length=MAX_REASON_LENGTH, label="Reason", help_text="Kept in the log."
    )


class RowForm(ReasonForm):
    """A row of the stimuli, checked like a row of a file."""

    def __init__(self, data: Any = None, *, study: Study, row: dict[str, str]) -> None:
        super().__init__(data, initial={**row, "shown": fingerprint_row(row)})
        self.study, self.stored = study, row
        self.columns = tuple(column for column in row if column not in ("reason", "shown"))
        direction = direction_of(study.language)
        for column in self.columns:
            is_context = column in LONG
            widget = forms.Textarea(attrs={"rows": 6}) if is_context else forms.TextInput()
            widget.attrs["dir"] = direction
            self.fields[column] = forms.CharField(
                required=False,  # check_row reports missing values
                strip=False,
                max_length=MAX_CONTEXT_LENGTH,
                label=describe_column(column),
                widget=widget,
            )
        self.order_fields((*self.columns, "reason", "shown"))

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        if not self.errors.keys() & set(self.columns):
            for problem in check_row(self.row, self.study.item_rules).errors:
                column = problem.column if problem.column in self.fields else None
                text = f"{problem.what}; {problem.advice}" if problem.advice else problem.what
                self.add_error(column, f"{text[:1].upper()}{text[1:]}.")
        return cleaned

    @property
    def row(self) -> dict[str, str]:
        """Return the submitted row by column."""
        return {**self.stored, **{column: self.cleaned_data[column] for column in self.columns}}


def describe_column(column: str) -> str:
    """Return the label of a column; a further column of the file is its own."""
    if column not in COLUMNS:
        return LABELS.get(column, column)
    word, _, context = column.partition("_")
    if context:
        return f"Word {word[-1]} as it occurs in context {context[-1]}"
    what, number = column[:-1], column[-1]
    if what == "context":
        return f"Context {number}, both words between <strong> and </strong>"
    return f"Word {number}, dictionary form"
