"""Forms of searches in the corpora of this site."""

from collections.abc import Sequence
from typing import Any

from django import forms
from django.forms.boundfield import BoundWidget
from django.http import QueryDict
from django.template.defaultfilters import filesizeformat
from django.utils.datastructures import MultiValueDict

from surveys.contexts.picking import CANDIDATES, LARGEST_SCORES, MOST_CANDIDATES
from surveys.contexts.search.inputs import ListedPairs, find_filter_problem, list_pairs
from surveys.contexts.search.listing import Corpus
from surveys.contexts.search.requests import MOST_WINDOWS, WINDOWS_PER_PAIR, SearchRequest
from surveys.contexts.web.console.choice_forms import DiscardingForm, PickingForm

LONGEST_LIST = 500_000  # characters
LARGEST_LIST = 1_000_000  # bytes
LONGEST_LICENCE = 100
Files = MultiValueDict[str, Any] | None


class CorporaForm(forms.Form):
    """Corpora of this site, and how texts in them are filtered.

    Those that are named for the language of the study come first.
    """

    corpora = forms.MultipleChoiceField(
        label="Corpora",
        widget=forms.CheckboxSelectMultiple,
        error_messages={"required": "Choose a corpus."},
    )
    number = forms.IntegerField(
        min_value=2, max_value=MOST_CANDIDATES, initial=CANDIDATES,
        label="Candidates for each pair",
    )  # fmt: skip
    filters = forms.CharField(
        required=False,
        max_length=2000,
        label="Changes of the filters",
        help_text="One a line, such as digits=off, end=reject or words=30..60. Empty: the usual "
        "limits.",
        widget=forms.Textarea(attrs={"rows": 3}),
    )

    def __init__(
        self, data: QueryDict | None, files: Files = None, *, corpora: Sequence[Corpus],
        language: str, initial: dict[str, Any],
    ) -> None:  # fmt: skip
        super().__init__(data, files, initial=initial)
        field: Any = self.fields["corpora"]
        first = [corpus for corpus in corpora if corpus.is_named_for(language)]
        listed = [*first, *(corpus for corpus in corpora if corpus not in first)]
        field.choices = [(c.name, f"{c.name} ({_describe(c)})") for c in listed]
        self.n_first = len(first) or len(listed)
        if self.n_first == 1:
            field.initial = [listed[0].name]

    @property
    def first_corpora(self) -> list[BoundWidget]:
        """Return checkboxes for the corpora named for the language, or else for all corpora."""
        return self["corpora"].subwidgets[: self.n_first]

    @property
    def other_corpora(self) -> list[BoundWidget]:
        """Return the boxes of the other corpora."""
        return self["corpora"].subwidgets[self.n_first :]

    @property
    def chooses_other_corpora(self) -> bool:
        """Return whether one of the other corpora is ticked."""
        return any(option.data["selected"] for option in self.other_corpora)

    def clean_filters(self) -> list[str]:
        changes = [line.strip() for line in self.cleaned_data["filters"].splitlines()]
        changes = [change for change in changes if change]
        if problem := find_filter_problem(changes):
            raise forms.ValidationError(problem)
        return changes


class SearchForm(DiscardingForm, CorporaForm):
    """A search for the candidates of a whole study."""

    listed = forms.CharField(
        required=False,
        max_length=LONGEST_LIST,
        label="Pairs of words",
        help_text="In dictionary form, one pair a line: sea, river",
        widget=forms.Textarea(attrs={"rows": 6, "dir": "auto"}),
    )
    file = forms.FileField(
        required=False,
        label="Or a file with the pairs",
        help_text="A table with the columns word1 and word2.",
    )
    per_pair = forms.IntegerField(
        min_value=2, max_value=MOST_WINDOWS, initial=WINDOWS_PER_PAIR,
        label="Texts kept for each pair",
        help_text="Drawn at random from all accepted texts; some become candidates.",
    )  # fmt: skip
    licence = forms.CharField(
        required=False,
        max_length=LONGEST_LICENCE,
        label="Licence of documents that state none",
        help_text="Such as CC BY-SA 4.0. Empty: unknown.",
    )
    by_sent_id = forms.BooleanField(
        required=False,
        label="A document begins where the sent_id changes",
        help_text="For corpora without # newdoc; the last number of a sent_id does not count.",
    )
    pairs: ListedPairs | None = None

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        file, listed = cleaned.get("file"), cleaned.get("listed") or ""
        name = "file" if file else "listed"
        if file and file.size > LARGEST_LIST:
            self.add_error(name, f"The file is larger than {LARGEST_LIST // 1_000_000} MB.")
        elif not self.errors.keys() & {"file", "listed"}:
            self.pairs = list_pairs(file.read(), file.name) if file else list_pairs(listed)
            for problem in self.pairs.problems:
                self.add_error(name, problem)
        return cleaned

    @property
    def search(self) -> SearchRequest:
        """Return what a valid form asks for."""
        cleaned = self.cleaned_data
        licence = cleaned["licence"].strip()
        return SearchRequest(
            cleaned["corpora"],
            self.pairs.pairs if self.pairs else [],
            cleaned["per_pair"],
            cleaned["number"],
            cleaned["filters"],
            {"licence": licence} if licence else {},
            cleaned.get("discards_choices", False),
            cleaned["by_sent_id"],
        )


class MoreForm(CorporaForm):
    """A search for further candidates of one pair."""

    def __init__(self, *sent: Any, n_left: int, **more: Any) -> None:
        super().__init__(*sent, **more)
        self.fields["number"] = forms.IntegerField(
            min_value=1, max_value=n_left, initial=min(CANDIDATES, n_left), label="More candidates"
        )


class ScoresForm(DiscardingForm, PickingForm):
    """A file of scores, and how candidates are picked by them."""

    field_order = ("file", "number", "distance_within", "discards_choices")

    file = forms.FileField(
        label="File with the scores",
        help_text="As python -m preprocess score writes it, or TSV, CSV or Parquet with the "
        f"columns window and score, up to {LARGEST_SCORES // 1_000_000} MB.",
        error_messages={"required": "Choose the file with the scores."},
    )


def _describe(corpus: Corpus) -> str:
    n = len(corpus.paths)
    return f"{f'{n} files, ' if n > 1 else ''}{filesizeformat(corpus.n_bytes)}"
