from typing import Any
from urllib.parse import urlencode

from django import forms

from surveys.models import Release, Run, Study
from surveys.results.inspection.pairs import ORDERS
from surveys.web.console.results.recipe_forms import RecipeForm

MAX_DESCRIPTION_LENGTH = 200_000


class ReleaseForm(RecipeForm):
    """The recipe and options of a release."""

    description = forms.CharField(
        max_length=MAX_DESCRIPTION_LENGTH,
        required=False,
        strip=False,
        label="Description",
        help_text="Facts that the site does not know, as TOML: authors, funding, recruitment. "
        "Dates of the collection, numbers of annotators by source and the texts they read are "
        "filled in when the release is created.",
        widget=forms.Textarea(attrs={"rows": 18, "spellcheck": "false", "class": "code-area"}),
    )
    n_practice = forms.IntegerField(
        min_value=0, max_value=10_000, initial=0, label="Pairs reserved for a practice kit"
    )
    seed = forms.IntegerField(
        min_value=0, max_value=2**31 - 1, initial=0, label="Seed for choosing them"
    )
    ids_of = forms.ModelChoiceField(
        Release.objects.none(),
        required=False,
        label="Annotators’ ids",
        empty_label="new ones",
        help_text="With the ids of an earlier release readers can link the two releases.",
    )
    complete = forms.BooleanField(
        required=False, label="Refuse while a section still has to be written by hand"
    )
    has_log = forms.BooleanField(
        required=False,
        label="Add the log of decisions about the study",
        help_text="As log.tsv, without names; reasons appear as they were written.",
    )

    def __init__(self, study: Study, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["ids_of"].queryset = Release.objects.filter(study=study)  # type: ignore[attr-defined]
        self.fields["ids_of"].label_from_instance = _describe_release  # type: ignore[attr-defined]

    def options(self) -> dict[str, Any]:
        """Return the options of the release, JSON-serializable."""
        names = ("description", "n_practice", "seed", "complete", "has_log")
        options = {name: self.cleaned_data[name] for name in names}
        ids_of = self.cleaned_data["ids_of"]
        return {**options, "has_report": True, "ids_of": ids_of.pk if ids_of else None}


def _describe_release(release: Release) -> str:
    return f"{release.name.capitalize()} of {release.created_at:%Y-%m-%d}"


class CompareForm(forms.Form):
    """Two finished runs of a study."""

    first = forms.ModelChoiceField(Run.objects.none(), label="First run", empty_label="choose")
    second = forms.ModelChoiceField(Run.objects.none(), label="Second run", empty_label="choose")

    def __init__(self, study: Study, *args: Any) -> None:
        super().__init__(*args)
        done = Run.objects.filter(study=study).results().done().with_withdrawn_since()
        for field in self.fields.values():
            field.queryset = done  # type: ignore[attr-defined]
            field.label_from_instance = lambda run: f"{run.number}: {run.recipe_name}"  # type: ignore[attr-defined]


class LedgerForm(forms.Form):
    """Filter of a ratings ledger."""

    annotator = forms.CharField(required=False, max_length=60, label="Annotator")
    pair = forms.CharField(required=False, max_length=9, label="Pair")
    context = forms.ChoiceField(
        required=False, choices=[("", "both"), ("1", "1"), ("2", "2")], label="Context"
    )
    reason = forms.ChoiceField(
        required=False,
        choices=[("", "all ratings"), ("*", "excluded for any reason")],
        label="Use",
    )
    page = forms.IntegerField(
        required=False, min_value=1, max_value=10**7, widget=forms.HiddenInput
    )


class PairsForm(forms.Form):
    """Filters and order of the pairs of a run."""

    word = forms.CharField(required=False, max_length=60, label="Word contains")
    change = forms.ChoiceField(
        required=False, choices=[("", "any"), ("q", "significant: q < 0.05")], label="Change"
    )
    direction = forms.ChoiceField(
        required=False,
        choices=[("", "any"), ("1", "context 1"), ("2", "context 2")],
        label="More similar in",
    )
    ratings = forms.ChoiceField(
        required=False,
        choices=[("", "any number"), ("few", "fewer than asked for")],
        label="Ratings used",
    )
    order = forms.ChoiceField(required=False, choices=list(ORDERS.items()), label="Sort by")

    def wanted(self) -> dict[str, str]:
        """Return the valid filters, and the order."""
        valid = self.cleaned_data if self.is_valid() else {}
        return {**valid, "order": valid.get("order") or "number"}

    def query(self) -> str:
        """Return the filters and the order as a query string, or ""."""
        chosen = {name: value for name, value in self.wanted().items() if value}
        if chosen["order"] == "number":
            del chosen["order"]
        return f"?{urlencode(chosen)}" if chosen else ""
