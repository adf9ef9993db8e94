"""The forms of a description: one with a field for each entry, one with its TOML."""

from typing import Any, NamedTuple

from django import forms
from django.forms import BaseFormSet, formset_factory

from surveys.errors import ReleaseRefused
from surveys.models import Study
from surveys.results.entries.description import (
    LONGEST,
    PARTS,
    Entry,
    Progress,
    list_entries,
    list_progress,
    read_authors,
    read_known,
    read_values,
    show_text,
    write_entries,
)
from surveys.web.console.forms import RowForm, name_rows
from surveys.web.console.results.release_forms import TomlField

MOST_AUTHORS = 200
MAX_LINE_LENGTH, MAX_PROSE_LENGTH = 500, 20_000
HELP = {
    ("dataset", "name"): "Of the files with the scores, such as usim-2 for usim-2_sl.csv. Empty: "
    "the name of the study.",
    ("dataset", "licence"): "Terms under which others may use the dataset. CC-BY-4.0 asks them to "
    "name you, CC0-1.0 asks nothing.",
    ("dataset", "version"): "Three numbers, such as 1.0.0.",
    ("dataset", "released_on"): "Empty: the day on which the release is created.",
    ("dataset", "doi"): "Such as 10.1234/abc. Empty: none yet.",
    ("dataset", "biases"): "Who and what the texts and annotators represent too much or too "
    "little. Some conferences ask for it.",
    ("dataset", "social_impact"): "Benefits and risks for people outside the study. Some "
    "conferences ask for it.",
    ("dataset", "keywords"): "One per line.",
    ("stimuli", "creators"): "Who made the texts.",
    ("annotators", "creators"): "Paid or volunteer crowd, or experts.",
}
NAMED = "family_names"  # in the reason
NAMES = "Write the names of a person, or the name of an organisation."
ERRORS_BELOW = "Please correct the errors below."
FORMATS = {  # where a pattern is not met
    "version": "Write three numbers, such as 1.0.0.",
    "doi": "Write the DOI without a URL, such as 10.1234/abc.",
    "orcid": "Write the ORCID as 0000-0002-1825-0097.",
}


class AuthorForm(RowForm):
    """An author to cite: a person or an organisation."""

    family_names = forms.CharField(max_length=MAX_LINE_LENGTH, required=False)
    given_names = forms.CharField(max_length=MAX_LINE_LENGTH, required=False)
    name = forms.CharField(
        max_length=MAX_LINE_LENGTH, required=False, label="Or an organisation",
        help_text="Its name, instead of the names of a person.",
    )  # fmt: skip
    orcid = forms.CharField(
        max_length=MAX_LINE_LENGTH, required=False, label="ORCID",
        help_text="Such as 0000-0002-1825-0097.",
    )  # fmt: skip
    affiliation = forms.CharField(max_length=MAX_LINE_LENGTH, required=False)


Authors = formset_factory(
    AuthorForm, extra=1, can_delete=True, max_num=MOST_AUTHORS, absolute_max=MOST_AUTHORS
)


class Part(NamedTuple):
    """A part of the form: its fields and progress."""

    progress: Progress
    fields: list[forms.BoundField]


class DescriptionForm(forms.Form):
    """The description of a study. Valid entries are written to `body`, as TOML."""

    body = ""

    def __init__(self, data: Any = None, *, study: Study, written: str) -> None:
        self.written, self.known = written, read_known(study)
        values, n_texts = {**self.known, **read_values(written)}, study.kind.n_texts
        self.entries = [entry for part in PARTS for entry in list_entries(part, n_texts)]
        places = {(entry.section, entry.name) for entry in self.entries}
        initial = {_name(*place): _show(values[place]) for place in places & values.keys()}
        super().__init__(data, initial=initial)
        for entry in self.entries:
            self.fields[_name(entry.section, entry.name)] = self._make_field(entry)
        self.authors: BaseFormSet[AuthorForm] = Authors(
            data, prefix="authors", initial=read_authors(written)
        )
        self.parts = [
            Part(
                progress,
                [
                    self[_name(entry.section, entry.name)]
                    for entry in list_entries(progress.part, n_texts)
                ],
            )
            for progress in list_progress(study, written)
        ]

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        are_right = self.authors.is_valid()
        if not are_right:
            self.add_error(None, ERRORS_BELOW)
        if not self.errors:
            authors = [form for form in self.authors.forms if _is_given(form)]
            changed = self._list_changed(cleaned)
            changed["authors"] = [_fields_of(form) for form in authors]
            try:
                self.body = write_entries(self.written, changed)
            except ReleaseRefused as error:
                self._report(str(error), authors)
        return cleaned

    def has_changed(self) -> bool:
        return super().has_changed() or self.authors.has_changed()

    @property
    def row_forms(self) -> list[tuple[str, AuthorForm]]:
        """Return the forms of the authors with their names."""
        return name_rows(self.authors, "Author")

    @property
    def progress(self) -> list[Progress]:
        """Return how much of each part is written."""
        return [part.progress for part in self.parts]

    def _list_changed(self, cleaned: dict[str, Any]) -> dict[str, Any]:
        """Return the entries to store: section → entries. Those that follow the study are None."""
        changed: dict[str, Any] = {}
        for entry in self.entries:
            value = cleaned.get(_name(entry.section, entry.name)) or None
            if entry.kind == "lines" and value:
                value = [line.strip() for line in value.splitlines() if line.strip()]
            is_known = value == self.known.get((entry.section, entry.name))
            changed.setdefault(entry.section, {})[entry.name] = None if is_known else value
        return changed

    def _make_field(self, entry: Entry) -> forms.Field:
        place = entry.section, entry.name
        hint = HELP.get(place, f"{entry.what[:1].upper()}{entry.what[1:]}." if entry.what else "")
        if place in self.known:
            hint = f"{hint} Filled in from the study."
        options: dict[str, Any] = {"label": entry.label, "help_text": hint, "required": False}
        if entry.kind == "choice":
            choices = [("", "choose"), *((name, name) for name in entry.choices)]
            return forms.ChoiceField(choices=choices, **options)
        if entry.kind == "day":
            widget = forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d")
            return forms.DateField(widget=widget, input_formats=["%Y-%m-%d"], **options)
        if entry.kind == "line":
            return forms.CharField(max_length=MAX_LINE_LENGTH, **options)
        area = forms.Textarea(attrs={"rows": 3})
        return forms.CharField(max_length=MAX_PROSE_LENGTH, widget=area, **options)

    def _report(self, problems: str, authors: list[AuthorForm]) -> None:
        """Add each problem to the field of its entry."""
        for problem in problems.splitlines():
            place, _, reason = problem.partition(": ")
            section, _, name = place.partition(".")
            number, _, of_author = name.partition(".")
            if section == "authors" and number.isdecimal():
                wrong = authors[int(number) - 1]
                field = of_author if of_author in wrong.fields else "family_names"
                wrong.add_error(field, _write_reason(of_author, reason))
                self.add_error(None, ERRORS_BELOW)
                continue
            entry = name.partition(".")[0]  # an item of a list has its number
            field_name = _name(section, entry)
            shown = field_name if field_name in self.fields else None
            self.add_error(shown, _write_reason(entry, reason) if shown else problem)


class DescriptionTextForm(forms.Form):
    """A description as TOML."""

    body = TomlField(
        max_length=LONGEST,
        label="Description as TOML",
        help_text="Dates of the collection, numbers of annotators by source and the texts they "
        "read are filled in when the release is created.",
    )

    def __init__(self, data: Any = None, *, study: Study, written: str) -> None:
        super().__init__(data, initial={"body": show_text(study, written)})


def _name(section: str, name: str) -> str:
    return f"{section}-{name}"


def _show(value: Any) -> Any:
    """Return a value as the form shows it: a list as lines."""
    return "\n".join(value) if isinstance(value, list) else value


def _is_given(form: AuthorForm) -> bool:
    return bool(_fields_of(form)) and not form.cleaned_data.get("DELETE")


def _fields_of(form: AuthorForm) -> dict[str, str]:
    cleaned = getattr(form, "cleaned_data", {})
    return {name: text for name in AuthorForm.base_fields if (text := cleaned.get(name))}


def _write_reason(name: str, reason: str) -> str:
    wording = FORMATS.get(name) if "pattern" in reason else NAMES if NAMED in reason else None
    return wording or f"{reason[:1].upper()}{reason[1:]}."
