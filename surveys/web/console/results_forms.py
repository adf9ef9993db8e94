from typing import Any

from django import forms

from surveys.models import Release, Run, Study

LONGEST_RECIPE = 20_000
LONGEST_DESCRIPTION = 200_000


class RecipeForm(forms.Form):
    """A recipe to run, as TOML."""

    recipe = forms.CharField(
        max_length=LONGEST_RECIPE,
        strip=False,
        label="Recipe",
        help_text="Every step with its parameters. The scale is always that of the study.",
        widget=forms.Textarea(attrs={"rows": 24, "spellcheck": "false", "class": "code-area"}),
    )


class ReleaseForm(RecipeForm):
    """What a release is to be made of and like."""

    description = forms.CharField(
        max_length=LONGEST_DESCRIPTION,
        required=False,
        strip=False,
        label="Description",
        help_text="What the site does not know, as TOML: authors, funding, how people were found. "
        "When the collection was, how many came by which way and what they read is filled in when "
        "the release is made.",
        widget=forms.Textarea(attrs={"rows": 18, "spellcheck": "false", "class": "code-area"}),
    )
    n_practice = forms.IntegerField(
        min_value=0, max_value=10_000, initial=0, label="Pairs to take out for a practice kit"
    )
    seed = forms.IntegerField(
        min_value=0, max_value=2**31 - 1, initial=0, label="Seed of their choice"
    )
    ids_of = forms.ModelChoiceField(
        Release.objects.none(),
        required=False,
        label="Annotators’ ids",
        empty_label="new ones",
        help_text="The ids of an earlier release allow readers to put the two together.",
    )
    complete = forms.BooleanField(
        required=False, label="Refuse while anything is still to be written by a person"
    )
    has_log = forms.BooleanField(
        required=False,
        label="Add the log of what was decided about the study",
        help_text="As log.tsv, without names; reasons stand in it as they were written.",
    )

    def __init__(self, study: Study, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.fields["ids_of"].queryset = Release.objects.filter(study=study)  # type: ignore[attr-defined]
        self.fields["ids_of"].label_from_instance = _describe_release  # type: ignore[attr-defined]

    def wishes(self) -> dict[str, Any]:
        """What is wished, as JSON can hold it."""
        names = ("description", "n_practice", "seed", "complete", "has_log")
        wishes = {name: self.cleaned_data[name] for name in names}
        ids_of = self.cleaned_data["ids_of"]
        return {**wishes, "has_report": True, "ids_of": ids_of.pk if ids_of else None}


def _describe_release(release: Release) -> str:
    return f"{release.name.capitalize()} of {release.created_at:%Y-%m-%d}"


class CompareForm(forms.Form):
    """Two runs of a study that are done."""

    first = forms.ModelChoiceField(Run.objects.none(), label="First run", empty_label="choose")
    second = forms.ModelChoiceField(Run.objects.none(), label="Second run", empty_label="choose")

    def __init__(self, study: Study, *args: Any) -> None:
        super().__init__(*args)
        done = Run.objects.filter(study=study).results().done().with_withdrawn_since()
        for field in self.fields.values():
            field.queryset = done  # type: ignore[attr-defined]
            field.label_from_instance = lambda run: f"{run.number}: {run.recipe_name}"  # type: ignore[attr-defined]


class LedgerForm(forms.Form):
    """Which ratings of a ledger are wanted."""

    annotator = forms.CharField(required=False, max_length=60, label="Annotator")
    pair = forms.CharField(required=False, max_length=9, label="Pair")
    context = forms.ChoiceField(
        required=False, choices=[("", "both"), ("1", "1"), ("2", "2")], label="Context"
    )
    reason = forms.ChoiceField(
        required=False,
        choices=[("", "all ratings"), ("*", "left out, for whatever reason")],
        label="What became of them",
    )
    page = forms.IntegerField(
        required=False, min_value=1, max_value=10**7, widget=forms.HiddenInput
    )
