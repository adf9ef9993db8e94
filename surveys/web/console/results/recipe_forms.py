"""The forms of a recipe: one with a field for each setting, one with its TOML."""

from typing import Any, NamedTuple

from django import forms

from surveys.errors import RunRefused
from surveys.models import Study
from surveys.results.entries.recipe import Settings, read_settings, write_recipe
from surveys.web.console.results.release_forms import TomlField

MAX_RECIPE_LENGTH = 20_000
SECTIONS = {"exclusion", "calibration", "filtering", "rescaling", "files", "report"}


class Card(NamedTuple):
    """A recipe of the library: its effect in a sentence, and its steps."""

    name: str
    summary: str
    steps: tuple[str, ...]


class Group(NamedTuple):
    """Fields under a legend, with the formula of their step."""

    legend: str
    formula: str
    fields: list[forms.BoundField]


CARDS = (
    Card(
        "cosimlex",
        "The conventions of the published CoSimLex files: annotators who rate higher or lower than "
        "their group are moved, and those who agree least are left out.",
        (
            "Calibration by 1 point", "Filtering with k = 1", "Rejected answers left out",
            "Scores from 0 to 10",
        ),
    ),
    Card(
        "simlex",
        "As SimLex-999: as cosimlex, and also without annotators who failed a checkpoint item and "
        "without the tenth whose removal raises agreement most.",
        (
            "Calibration by 1 point", "Filtering with k = 1 and by gain",
            "No failed checkpoint items", "Scores from 0 to 10",
        ),
    ),
    Card(
        "raw",
        "Every rating of a finished questionnaire as it was given, also where a reviewer rejected "
        "the words.",
        ("No calibration", "No filtering", "Rejected answers kept", "Scores from 0 to 10"),
    ),
)  # fmt: skip
GROUPS = {
    "Exclusion": (
        ("Before all other steps. Answers without a rating, unfinished or replaced questionnaires "
        "and withdrawn annotators never count."),
        ("exclusion_rejected_engagement", "exclusion_most_failed_checkpoints"),
    ),
    "Calibration": (
        ("If |m − M| > threshold, all the annotator’s ratings in this group move by the step "
        "towards M, but not beyond the scale’s ends. m: the annotator’s mean; M: mean of these "
        "means in the group."),
        ("calibration_enabled", "calibration_threshold", "calibration_step"),
    ),
    "Filtering": (
        ("An annotator is left out if r < mean(r) − k · SD(r). r: mean of Spearman’s ρ with each "
        "other annotator of the group, after calibration."),
        (
            "filtering_enabled", "filtering_k", "filtering_minimum_rho", "filtering_gain_share",
            "filtering_constant_from",
        ),
    ),
    "Published scale": (
        ("score = lowest + (rating − a) · (highest − lowest) / (b − a). a, b: ends of the study’s "
        "scale. The score of a context is the mean."),
        ("rescaling_minimum", "rescaling_maximum"),
    ),
}  # fmt: skip
DETAILS = {
    "Small p-values in the files": (
        "",
        ("files_scientific_below", "files_trailing_zeros"),
    ),
    "Report": (
        "Random numbers are used for intervals and splits only, not for scores.",
        (
            "report_n_resamples", "report_resample", "report_n_splits", "report_seed", "report_pdf",
        ),
    ),
}  # fmt: skip


def number(label: str, unit: str = "", **options: Any) -> Any:
    return _with_unit(forms.FloatField(label=label, **options), unit)


def whole(label: str, lowest: int, highest: int, unit: str = "", **options: Any) -> Any:
    field = forms.IntegerField(label=label, min_value=lowest, max_value=highest, **options)
    return _with_unit(field, unit)


def switch(label: str) -> forms.BooleanField:
    return forms.BooleanField(label=label, required=False)


def _with_unit(field: Any, unit: str) -> Any:
    field.unit = unit
    return field


class SettingsForm(forms.Form):
    """The settings of a recipe. Valid settings are written to `recipe`, as TOML."""

    name = forms.CharField(
        max_length=60, label="Name of the recipe", help_text="Shown in lists of runs and releases."
    )
    exclusion_rejected_engagement = switch("Leave out answers that the review rejected")
    exclusion_most_failed_checkpoints = whole(
        "Checkpoint items that may be failed", 0, 10_000, "items", required=False,
        help_text="Annotators who failed more in a group are left out there. Empty: no limit.",
    )  # fmt: skip
    calibration_enabled = switch("Move annotators who rate higher or lower than their group")
    calibration_threshold = number("Threshold", "points of the scale", min_value=0)
    calibration_step = number("Step", "points of the scale", help_text="Above 0.")
    filtering_enabled = switch("Leave out annotators who agree too little with their group")
    filtering_k = number(
        "k", "standard deviations", min_value=0, help_text="A smaller k leaves out more annotators."
    )
    filtering_minimum_rho = number(
        "Lowest r in any case", "correlation", min_value=-1, max_value=1, required=False,
        help_text="Annotators with r below this are left out, too. Empty: no such bound.",
    )  # fmt: skip
    filtering_gain_share = number(
        "Share left out for the gain", "of a group", required=False,
        help_text="Such as 0.1: the tenth of the annotators whose absence raises the group’s mean "
        "ρ most. Empty: nobody.",
    )  # fmt: skip
    filtering_constant_from = whole(
        "Constant ratings left out from", 2, 10_000, "texts", required=False,
        help_text="Annotators who gave this number of texts or more one rating are left out, also "
        "where nobody can be compared. Empty: only where others can.",
    )  # fmt: skip
    rescaling_minimum = number("Lowest score")
    rescaling_maximum = number("Highest score")
    files_scientific_below = number(
        "Write as 2.40E-05 if p is below", min_value=0,
        help_text="The published files use 1e-7.",
    )  # fmt: skip
    files_trailing_zeros = switch("Keep trailing zeros (2.40E-05, not 2.4E-05)")
    report_n_resamples = whole(
        "Bootstrap samples for intervals", 0, 1_000_000, help_text="0: no intervals."
    )
    report_resample = forms.ChoiceField(
        label="Intervals over", required=False,
        choices=[("items", "items, for these annotators"),
                 ("items and annotators", "items and annotators")],
    )  # fmt: skip
    report_n_splits = whole("Random splits for reliability", 1, 1_000_000)
    report_seed = whole("Seed of the report", 0, 2**63 - 1)
    report_pdf = switch("Write the report as a PDF, too (takes longest)")

    recipe = ""

    def __init__(self, data: Any = None, *, study: Study, settings: Settings) -> None:
        super().__init__(data, initial=_name_fields(settings))
        self.study = study

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        cleaned["report_resample"] = cleaned.get("report_resample") or "items"
        if not self.errors:
            settings = {self._setting(name): value for name, value in cleaned.items()}
            try:
                self.recipe = write_recipe(self.study, settings)
            except RunRefused as error:
                self._report(str(error))
        return cleaned

    @property
    def groups(self) -> list[Group]:
        """Return the fields of the steps."""
        return self._group(GROUPS)

    @property
    def details(self) -> list[Group]:
        """Return the fields that do not change scores."""
        return self._group(DETAILS)

    @property
    def opens_details(self) -> bool:
        """Return whether a field that does not change scores has an error."""
        return any(field.errors for group in self.details for field in group.fields)

    def _group(self, groups: dict[str, tuple[str, tuple[str, ...]]]) -> list[Group]:
        return [
            Group(legend, formula, [self[name] for name in names])
            for legend, (formula, names) in groups.items()
        ]

    def _setting(self, field: str) -> str:
        section, _, name = field.partition("_")
        return f"{section}.{name}" if section in SECTIONS else field

    def _report(self, problems: str) -> None:
        """Add each problem to its field; a section's problem to the section's last field."""
        for problem in problems.splitlines():
            place, _, reason = problem.partition(": ")
            fields = [name for name in self.fields if self._setting(name).startswith(place)]
            self.add_error(fields[-1] if fields else None, reason[:1].upper() + reason[1:] + ".")


class RecipeForm(forms.Form):
    """A recipe as TOML."""

    recipe = TomlField(
        max_length=MAX_RECIPE_LENGTH,
        label="Recipe as TOML",
        help_text="All settings, as in the file recipe.toml of a release. The scale is always the "
        "study’s scale.",
    )


def write_fields(recipe: str) -> dict[str, str]:
    """Return what `SettingsForm` is sent for a recipe in TOML. Raises RunRefused."""
    fields = _name_fields(read_settings(recipe))
    return {
        name: "on" if value is True else str(value)
        for name, value in fields.items()
        if value is not None and value is not False
    }


def _name_fields(settings: Settings) -> dict[str, Any]:
    return {name.replace(".", "_", 1): _show(value) for name, value in settings.items()}


def _show(value: Any) -> Any:
    """Return a number as a person writes it: 1, not 1.0."""
    return int(value) if isinstance(value, float) and value.is_integer() else value
