"""Forms of the texts that consist of rows: practice items, and questions on the instructions."""

from typing import Any

from django import forms
from django.forms import BaseFormSet, formset_factory

from surveys.errors import TextRefused
from surveys.models import Study, TextKind
from surveys.study.stimuli.kinds import TEXTS
from surveys.study.text_rows import (
    CANNOT,
    MOST_ANSWERS,
    Row,
    list_lost_comments,
    read_rows,
    write_rows,
)
from surveys.study.texts import LONGEST_TEXT, check_text
from surveys.web.console.forms import RowForm, name_rows
from surveys.web.rendering.study_page import direction_of

OF_PAGE_1 = {"text", "good1", "good2"}  # fields of practice items
LONGEST_LINE = 500
MOST_ROWS = 20
ERRORS_BELOW = "Please correct the errors below."
BOTH_FORMS = "Write both dictionary forms, or neither."
PROBLEMS = {  # words in a refusal → the field that is wrong, and what to do there
    "<strong>": ("text", "Mark two words of the text as <strong>word</strong>."),
    "both words": ("word2", "The two words must differ."),
    "word1 is": ("word1", BOTH_FORMS),
    "word2 is": ("word2", BOTH_FORMS),
    "ours must": ("highest", "The range must go up, from 0 to 100 at most."),
    "right must": ("right", "Choose an answer that is filled in."),
}


def line(label: str, **options: Any) -> forms.CharField:
    return forms.CharField(label=label, max_length=LONGEST_LINE, **options)


def prose(label: str, rows: int, **options: Any) -> forms.CharField:
    widget = forms.Textarea(attrs={"rows": rows})
    return forms.CharField(label=label, max_length=LONGEST_TEXT, widget=widget, **options)


class TextRowForm(RowForm):
    """A row of a text; valid fields are checked together by the rules of the text."""

    kind: TextKind

    def __init__(self, *sent: Any, study: Study, **options: Any) -> None:
        super().__init__(*sent, **options)
        self.study = study

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean()
        for name, value in cleaned.items():
            if isinstance(value, str):
                cleaned[name] = value.replace("\r\n", "\n")
        if not self.errors and self.has_changed():
            try:
                body = write_rows(self.kind, [self.row])
                check_text(self.kind, body, self.study.item_rules)
            except TextRefused as error:
                self._report(str(error))
        return cleaned

    @property
    def row(self) -> Row:
        """Return the row to write; for a valid form."""
        return {name: value for name, value in self.cleaned_data.items() if name != "DELETE"}

    def _report(self, problem: str) -> None:
        """Add a refusal to the field that it is about, or to the row."""
        reports = [
            (name, report)
            for words, (name, report) in PROBLEMS.items()
            if words in problem and name in self.fields
        ]
        self.add_error(*(reports[0] if reports else (None, problem)))


class PracticeRowForm(TextRowForm):
    """A practice item, with the fields of the study's kind of item."""

    kind = TextKind.PRACTICE
    text = prose(
        "Text", 6,
        help_text="Mark the two words as in stimuli files: <strong>word</strong>.",
    )  # fmt: skip
    text1 = prose("First text", 4, help_text="Mark the word: <strong>word</strong>.")
    text2 = prose("Second text", 4)
    word1 = line(
        "First word, as in a dictionary", required=False,
        help_text="Of the word marked first. Empty: the form in the text.",
    )  # fmt: skip
    word2 = line("Second word, as in a dictionary", required=False)
    good1 = line("A good word for page 1", help_text="One that the text makes readers think of.")
    good2 = line("Another good word")
    lowest = forms.IntegerField(
        label="We would rate from (% of the scale)", min_value=0, max_value=99, required=False,
        help_text="0 is the lowest point, 100 the highest; such as 0 to 34 for a low rating.",
    )  # fmt: skip
    highest = forms.IntegerField(
        label="to (% of the scale)", min_value=1, max_value=100, required=False,
        help_text="Empty: no range is shown.",
    )  # fmt: skip
    explanation = prose(
        "Explanation", 6, help_text="Shown after the rating. Markdown, as in the instructions."
    )

    def __init__(self, *sent: Any, study: Study, **options: Any) -> None:
        super().__init__(*sent, study=study, **options)
        kind = study.kind
        shown = OF_PAGE_1 if kind.n_pages == 2 else {*TEXTS} & {*kind.columns}
        for name in {*OF_PAGE_1, *TEXTS} - shown:
            del self.fields[name]
        for name in ("word1", "word2") if kind.n_pages == 1 else ():
            self.fields[name].required, self.fields[name].help_text = True, ""

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean()
        low, high = cleaned.get("lowest"), cleaned.get("highest")
        if (low is None) != (high is None) and not {"lowest", "highest"} & self.errors.keys():
            self.add_error("highest", "Give both ends of the range, or neither.")
        return cleaned


class CheckRowForm(TextRowForm):
    """A question on the instructions."""

    kind = TextKind.CHECK
    question = prose("Question", 3)
    answer1 = line("Answer 1")
    answer2 = line("Answer 2")
    answer3 = line("Answer 3", required=False)
    answer4 = line("Answer 4", required=False)
    answer5 = line("Answer 5", required=False)
    answer6 = line("Answer 6", required=False)
    right = forms.TypedChoiceField(
        label="Right answer", coerce=int,
        choices=[("", "choose"), *((n, f"Answer {n}") for n in range(1, MOST_ANSWERS + 1))],
    )  # fmt: skip
    why = prose(
        "Explanation of the rule", 3,
        help_text="Shown after a wrong answer. Explain the rule rather than the answer.",
    )  # fmt: skip

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean()
        names = [f"answer{n}" for n in range(1, MOST_ANSWERS + 1)]
        given = [bool(cleaned.get(name)) for name in names]
        if given != sorted(given, reverse=True) and not self.errors:
            self.add_error(names[given.index(False)], "Fill in the answers without a gap.")
        return cleaned


ROWS: dict[TextKind, type[TextRowForm]] = {
    TextKind.PRACTICE: PracticeRowForm, TextKind.CHECK: CheckRowForm,
}  # fmt: skip
OF_LANGUAGE = (forms.CharField,)  # fields in the language of the study


class RowsForm(forms.Form):
    """The rows of a text of a study. Valid rows are written to `body`, as TOML."""

    def __init__(self, data: Any = None, *, study: Study, kind: TextKind, body: str) -> None:
        super().__init__(data)
        self.kind, self.body = kind, ""
        self.is_possible = True
        initial: list[Row] = []
        try:
            initial = read_rows(kind, body)
        except TextRefused:
            self.is_possible = False
        rows = formset_factory(
            ROWS[kind], extra=1, can_delete=True, max_num=MOST_ROWS, absolute_max=MOST_ROWS
        )
        self.rows: BaseFormSet[TextRowForm] = rows(
            data, prefix="rows", initial=initial, form_kwargs={"study": study}
        )
        direction = direction_of(study.language)
        for form in self.rows.forms:
            for field in form.fields.values():
                if isinstance(field, OF_LANGUAGE):
                    field.widget.attrs["dir"] = direction
        self.lost = list_lost_comments(kind, body) if self.is_possible else []

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        if not self.is_possible:
            raise forms.ValidationError(CANNOT)
        if not self.rows.is_valid():
            raise forms.ValidationError(ERRORS_BELOW)
        retained = [form for form in self.rows.forms if form.cleaned_data.get("DELETE") is False]
        self.body = write_rows(self.kind, [form.row for form in retained])
        return cleaned

    def has_changed(self) -> bool:
        return self.rows.has_changed()

    @property
    def address(self) -> str:
        """Return the name of the page to which the form is sent."""
        return f"console:{self.kind.value}_rows"

    @property
    def row_forms(self) -> list[tuple[str, TextRowForm]]:
        """Return the forms of the rows with their names."""
        return name_rows(self.rows, self.row_name)

    @property
    def row_name(self) -> str:
        return "Question" if self.kind == TextKind.CHECK else "Practice item"
