from decimal import Decimal
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from django import forms
from django.utils.functional import cached_property

from surveys.models import Study, StudyText, TextKind
from surveys.models.study import Writes, write_point
from surveys.study.design import list_fitting, list_published, settings_of
from surveys.study.planning.durations import introduction_seconds
from surveys.study.planning.power import Power, weigh_power
from surveys.study.planning.workload import Plan, count_pairs
from surveys.study.settings import DRAFT_ONLY, GROUPS, OF_RATINGS, QUESTION, SCALE, SETTINGS
from surveys.study.texts import LONGEST_TEXT
from surveys.web.forms import SettingsForm

if TYPE_CHECKING:
    from surveys.study.design import Design

WORKLOAD = ("ratings_per_context", "block_size", "seconds_per_item", "n_checkpoints")
PAY = ("pay_per_hour", "fee_percent")


def fleeting() -> forms.NumberInput:
    """Return the widget of a number that is not saved, excluded from unsaved-changes warnings."""
    return forms.NumberInput(attrs={"data-fleeting": True})


class Change(NamedTuple):
    """A setting that a published design would change, in words."""

    label: str
    before: str
    after: str


class LabelsField(forms.JSONField):
    """Labels of scale points, one per line: 0 = not similar at all."""

    widget = forms.Textarea(attrs={"rows": 3})

    def bound_data(self, data: Any, initial: Any) -> Any:
        return data

    def prepare_value(self, value: Any) -> Any:
        if not isinstance(value, dict):
            return value
        return "\n".join(f"{point} = {label}" for point, label in value.items())

    def to_python(self, value: Any) -> Any:
        text = forms.CharField.to_python(self, value)
        self.run_validators(text)
        labels: dict[str, str] = {}
        for line in str(text).splitlines():
            point, sign, label = (part.strip() for part in line.partition("="))
            if not line.strip():
                continue
            if not sign:
                raise forms.ValidationError(f"Write “{line.strip()}” as 0 = not similar at all.")
            if point in labels:
                raise forms.ValidationError(f"The point {point} has two labels; give only one.")
            labels[point] = label
        return labels


class DesignForm(SettingsForm):
    """The settings of a study that can still be changed, and the workload that they ask for."""

    pay_per_hour = forms.DecimalField(
        min_value=0, max_digits=9, decimal_places=2, required=False, label="Pay per hour",
        help_text="In any currency; only for the calculation, not saved.", widget=fleeting(),
    )  # fmt: skip
    fee_percent = forms.DecimalField(
        min_value=0, max_value=1000, decimal_places=2, required=False,
        label="Platform fee (%)", help_text="Added to the pay; not saved.",
        widget=fleeting(),
    )  # fmt: skip

    class Meta(SettingsForm.Meta):
        model = Study
        fields = SETTINGS
        field_classes: ClassVar = {"scale_labels": LabelsField}
        help_texts: ClassVar = {
            "scale_labels": "One per line, such as 0 = not similar at all. Empty: the two ends "
            "have labels.",
            "block_size": "Rated in one assignment. Empty: all pairs in one block.",
        }

    def __init__(
        self, data: Any = None, *, study: Study, published: "Design | None" = None
    ) -> None:
        super().__init__(data, instance=study)
        self.study, self.published = study, published
        self.n_pairs, self.n_items = count_pairs(study)
        for name in () if study.is_draft else DRAFT_ONLY:
            del self.fields[name]
        if not study.has_question_forms:
            self.fields.pop("question_forms", None)
        self._offer_fitting()
        if study.kind.n_pages == 1:  # its texts have no variants
            self.fields.pop("variant", None)
            seconds = self.fields["seconds_per_item"]
            seconds.label, seconds.help_text = "Seconds per item", "Estimated from its length."
        if study.writes == Writes.NOTHING and not study.is_draft:
            del self.fields["publishes_words"]
        settings = settings_of(published) if published else {}
        is_rated = study.kind.is_rated(settings.get("question", study.question))
        self.has_scale = is_rated or (self.is_bound and SCALE[0] in self.data)
        for name in () if self.has_scale else OF_RATINGS:
            self.fields.pop(name, None)
        proposed = {name: settings[name] for name in self.fields if name in settings}
        stored = self.initial
        self.initial = {**stored, **proposed}
        for name in SCALE:
            self.initial[name] = Decimal(write_point(self.initial[name]))
        for name, setting in proposed.items():
            setattr(self.instance, name, setting)
        self.changes = [
            Change(str(self[name].label), _write(self[name], stored[name]), _write(self[name]))
            for name, setting in proposed.items()
            if stored[name] != setting
        ]

    def _offer_fitting(self) -> None:
        """Leave out choices that the kind of item does not have, and fields with one choice."""
        fitting = list_fitting(self.study)
        for name in QUESTION if len(fitting["question"]) == 1 else ():
            self.fields.pop(name, None)
        for name in fitting.keys() & self.fields.keys():
            field: Any = self.fields[name]
            field.choices = [choice for choice in field.choices if choice[0] in fitting[name]]

    @cached_property
    def plan(self) -> Plan | None:
        """Return the workload of the form's numbers; None if one is invalid."""
        if not self.n_pairs or self.errors.keys() & {*WORKLOAD, *SCALE, *PAY}:
            return None
        numbers: dict[str, Any] = {name: getattr(self.instance, name) for name in WORKLOAD}
        numbers["n_contexts"] = self.study.kind.n_contexts
        numbers["n_doubled"] = self.instance.n_doubled
        numbers["n_checkpoints"] = min(numbers["n_checkpoints"], self.n_items)
        if self.is_bound:
            numbers |= {name: self.cleaned_data[name] or Decimal(0) for name in PAY}
        introduction = introduction_seconds(self.study)
        return Plan(n_pairs=self.n_pairs, introduction_seconds=introduction, **numbers)

    @property
    def power(self) -> Power | None:
        """Return the changes that the form's numbers detect; None if a number is invalid, and of
        items in one context.
        """
        if self.study.kind.n_contexts == 1:
            return None
        scale = self.instance.scale_minimum, self.instance.scale_maximum, self.instance.scale_step
        return weigh_power(self.study, self.plan, scale) if self.plan else None

    def has_changed(self) -> bool:
        """Return whether a stored field differs from its stored value."""
        return bool(set(self.changed_data) - set(PAY))

    @property
    def settings(self) -> dict[str, Any]:
        """Return the settings to store; for a valid form."""
        return {name: given for name, given in self.cleaned_data.items() if name not in PAY}

    @property
    def groups(self) -> list[tuple[str, list[forms.BoundField]]]:
        """Return the fields that can be changed, by legend."""
        groups = {**GROUPS, "The collection": (*GROUPS["The collection"], *PAY)}
        if not self.has_scale:
            groups["The question"] = (*groups["The question"], *groups.pop("The scale"))
        return [
            (legend, [self[name] for name in names if name in self.fields])
            for legend, names in groups.items()
            if self.fields.keys() & {*names}
        ]

    def describe(self) -> list[tuple[str, list[tuple[str, str]]]]:
        """Return label and stored value of the fields, by legend, for users who only read them."""
        return [
            (
                legend,
                [(str(field.label), _write(field)) for field in fields if field.name not in PAY],
            )
            for legend, fields in self.groups
        ]


def _write(field: forms.BoundField, *given: Any) -> str:
    """Return the given value of a field, or else its stored value; an en dash for none."""
    (value,) = given or (field.initial,)
    if isinstance(field.field, forms.BooleanField):
        return "yes" if value else "no"
    if choices := getattr(field.field, "choices", ()):
        return str(dict(choices)[value])
    return "–" if value in (None, "", {}) else str(field.field.prepare_value(value))


class ProseField(forms.CharField):
    """A text of several lines, compared without regard to line endings."""

    def has_changed(self, initial: Any, data: Any) -> bool:
        before, after = (str(text or "").strip().splitlines() for text in (initial, data))
        return before != after


class PublishedForm(forms.Form):
    """The published design to start from."""

    design = forms.ChoiceField(
        label="Start from a published study",
        help_text="Shows what would change; nothing is stored before you save.",
    )

    def __init__(self, *sent: Any, study: Study, **options: Any) -> None:
        super().__init__(*sent, **options)
        self.fields["design"].choices = list_published(study)  # type: ignore[attr-defined]


class OpeningForm(forms.Form):
    """Confirmation that a researcher has read the displayed version of the consent text."""

    version = forms.IntegerField(min_value=1, widget=forms.HiddenInput)
    has_reviewed = forms.BooleanField(
        label="I have read this consent text. It is right for this study.",
        error_messages={"required": "Read the consent text, and confirm it here."},
    )
    opens_link = forms.ChoiceField(choices=[("yes", "")], required=False)  # a second button

    def __init__(self, data: Any = None, *, consent: StudyText) -> None:
        super().__init__(data, initial={"version": consent.version})
        self.fields["has_reviewed"].required = consent.reviewed_at is None


class TextForm(forms.Form):
    """A text that annotators read."""

    body = ProseField(required=False, strip=False, max_length=LONGEST_TEXT, widget=forms.Textarea)

    def __init__(self, data: Any = None, *, kind: TextKind, body: str, direction: str) -> None:
        super().__init__(data, initial={"body": body})
        self.fields["body"].label = kind.label[:1].upper() + kind.label[1:]
        self.fields["body"].widget.attrs.update({"rows": 18, "dir": direction})

    @property
    def text(self) -> str:
        """Return the text as it is stored, valid or not."""
        return str(self["body"].value() or "").replace("\r\n", "\n").strip()
