from typing import Any
from urllib.parse import urlencode

from django import forms
from django.http import HttpRequest

from surveys.models import JobState, Release, Run, RunKind, Study
from surveys.query_params import read_number
from surveys.results.entries.recipe import propose_recipe
from surveys.results.inspection.pairs import CHANGES, ORDERS
from surveys.results.release import PUBLISHED_NAME
from surveys.results.run_inspection import write_recipes
from surveys.study.stimuli.sources import list_doubtful
from surveys.templatetags.dates import day

ORDERS_OF_ITEMS = {"-score1": "score, highest first", "score1": "score, lowest first"}
OF_DESIGN = "as the study’s design has it"
MOST_RUNS = 20  # whose recipes can be chosen for a release


class TomlField(forms.CharField):
    """A text in TOML, edited in a large text area."""

    def __init__(self, **settings: Any) -> None:
        area = forms.Textarea(attrs={"rows": 24, "spellcheck": "false", "class": "code-area"})
        super().__init__(strip=False, widget=area, **settings)


class ReleaseForm(forms.Form):
    """The recipe and options of a release."""

    recipe = forms.ChoiceField(
        label="Recipe", help_text="Other recipes: run them under Results, and choose the run here."
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
    is_published_layout = forms.BooleanField(
        required=False,
        label="Name the dataset as in the published layout",
        help_text="cosimlex_ and the language, instead of the name of the study.",
    )
    withholds_unknown = forms.BooleanField(
        required=False,
        label="Mask texts whose licence is not known",
        help_text="As those that may not be published; a script restores them from the corpus.",
    )
    complete = forms.BooleanField(
        required=False, label="Refuse while the description is incomplete"
    )
    accepts_unscored = forms.BooleanField(
        required=False,
        label="Leave out pairs with a context without a score",
        help_text="All annotators of such a context gave all texts one rating. Without the tick, "
        "the release is refused.",
    )
    has_log = forms.BooleanField(
        required=False,
        label="Add the log of decisions about the study",
        help_text="As log.tsv, without names; reasons appear as they were written.",
    )

    def __init__(self, study: Study, run: str, data: Any = None) -> None:
        """`run` is the id of the run whose recipe is chosen first, as text.

        Without it this is the recipe of the latest release, so that a run that was made to look at
        another recipe does not change the next release; without one, that of the latest run.
        """
        runs = (
            Run.objects.filter(study=study).exclude(recipe="").exclude(job__state=JobState.FAILED)
        )
        runs = runs.defer("report")
        latest = {str(run_.pk): run_ for run_ in runs[:MOST_RUNS]}
        if run not in latest and (number := read_number(run)):
            latest |= {str(run_.pk): run_ for run_ in runs.filter(pk=number)}
        recipes = write_recipes()
        of_design = {} if study.kind.n_contexts == 2 else {OF_DESIGN: propose_recipe(study)}
        of_runs = {pk: run_.recipe for pk, run_ in latest.items()}
        self._recipes = {**of_runs, **of_design, **recipes}
        made = (pk for pk, run_ in latest.items() if run_.kind == RunKind.RELEASE)
        chosen = run if run in latest else next(made, next(iter([*latest, *of_design]), "cosimlex"))
        super().__init__(data, initial={"recipe": chosen})
        if not list_doubtful(study):
            del self.fields["withholds_unknown"]
        self.fields["recipe"].choices = [  # type: ignore[attr-defined]
            ("Of the study", [(pk, _describe_run(run_)) for pk, run_ in latest.items()]),
            ("Cosima’s recipes", [(name, name) for name in (*of_design, *recipes)]),
        ]
        self.fields["ids_of"].queryset = Release.objects.filter(study=study)  # type: ignore[attr-defined]
        self.fields["ids_of"].label_from_instance = _describe_release  # type: ignore[attr-defined]

    @property
    def recipe_text(self) -> str:
        """Return the chosen recipe as TOML; for a valid form."""
        return self._recipes[self.cleaned_data["recipe"]]

    @property
    def chosen_options(self) -> list[forms.BoundField]:
        """Return the fields other than the recipe."""
        return [self[name] for name in self.fields if name != "recipe"]

    @property
    def has_wrong_options(self) -> bool:
        return any(field.errors for field in self.chosen_options)

    def options(self) -> dict[str, Any]:
        """Return the options of the release other than its description, JSON-serializable."""
        names = ("n_practice", "seed", "complete", "has_log", "accepts_unscored")
        options = {name: self.cleaned_data[name] for name in names}
        ids_of = self.cleaned_data["ids_of"]
        name = PUBLISHED_NAME if self.cleaned_data["is_published_layout"] else ""
        return {
            **options,
            "name": name,
            "has_report": True,
            "ids_of": ids_of.pk if ids_of else None,
            "withholds_unknown": bool(self.cleaned_data.get("withholds_unknown")),
        }


def _describe_run(run: Run) -> str:
    return f"{run.recipe_name}, of {run.name}"


def _describe_release(release: Release) -> str:
    return f"{release.name.capitalize()} of {day(release.created_at)}"


def query_of_run(request: HttpRequest) -> str:
    """Return the query that keeps the run whose recipe a release is to have; empty without one."""
    number = read_number(request.GET.get("run", ""))
    return "" if number is None else f"?run={number}"


class CompareForm(forms.Form):
    """Two finished runs of a study."""

    first = forms.ModelChoiceField(Run.objects.none(), label="First run", empty_label="choose")
    second = forms.ModelChoiceField(Run.objects.none(), label="Second run", empty_label="choose")

    def __init__(self, study: Study, *args: Any) -> None:
        super().__init__(*args)
        done = Run.objects.filter(study=study).results().done().with_withdrawn_since()
        done = done.defer("report")
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
        required=False, choices=[("", "all ratings"), ("*", "excluded for any reason")], label="Use"
    )
    page = forms.IntegerField(
        required=False, min_value=1, max_value=10**7, widget=forms.HiddenInput
    )

    def __init__(self, *args: Any, n_contexts: int = 2) -> None:
        super().__init__(*args)
        if n_contexts == 1:
            del self.fields["context"]


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

    def __init__(self, *args: Any, n_contexts: int = 2) -> None:
        super().__init__(*args)
        if n_contexts == 1:
            del self.fields["change"], self.fields["direction"]
            orders = [(o, ORDERS_OF_ITEMS.get(o, name)) for o, name in ORDERS.items()]
            self.fields["order"].choices = [  # type: ignore[attr-defined]
                (order, name) for order, name in orders if order.removeprefix("-") not in CHANGES
            ]

    def filters(self) -> dict[str, str]:
        """Return the valid filters, and the order."""
        valid = self.cleaned_data if self.is_valid() else {}
        return {**valid, "order": valid.get("order") or "number"}

    def query(self) -> str:
        """Return the filters and the order as a query string, or ""."""
        chosen = {name: value for name, value in self.filters().items() if value}
        if chosen["order"] == "number":
            del chosen["order"]
        return f"?{urlencode(chosen)}" if chosen else ""
