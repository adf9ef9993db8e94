from decimal import Decimal
from typing import Any, NamedTuple

from django import forms
from django.utils.functional import cached_property

from surveys.models import AssigningPolicy, QuestionForms, Study, StudyText, TextKind, Variant
from surveys.models.study import MOST_ASKED_FOR, Digits, write_point
from surveys.study.lifecycle import LOCKED
from surveys.study.planning.durations import introduction_seconds
from surveys.study.planning.power import Power, weigh_power
from surveys.study.planning.presets import CHOICES, Preset
from surveys.study.planning.workload import Plan, count_pairs
from surveys.study.stimuli.load import list_language_problems, list_scale_problems
from surveys.study.texts import LONGEST_TEXT

MAX_SEED = 2**63 - 1
SCALE = ("scale_minimum", "scale_maximum", "scale_step")
STORED = object()
PAY = ("pay_per_hour", "fee_percent")
GROUPS = {
    "The study": (
        "title", "public_title", "language", "organisation", "contact", "ethics", "digits",
    ),
    "The scale": (
        *SCALE, "scale_labels", "question_forms", "variant", "allows_unjudgeable", "sends_choice",
    ),
    "The collection": (
        "ratings_per_context", "block_size", "seconds_per_item", "n_checkpoints", *PAY,
    ),
    "Annotators": (
        "pay", "allows_more_blocks", "pay_for_more", "assigning_policy", "lease_hours",
        "n_check_tries", "seed",
    ),
    "Use of answers": (
        "erases_withdrawn", "publishes_words", "legal_basis", "authority",
        "data_protection_officer",
    ),
}  # fmt: skip


def whole(label: str, lowest: int, **options: Any) -> forms.IntegerField:
    return forms.IntegerField(
        label=label, min_value=lowest, max_value=MOST_ASKED_FOR, required=True, **options
    )


def decimal(label: str, **options: Any) -> forms.DecimalField:
    return forms.DecimalField(label=label, max_digits=5, decimal_places=2, **options)


def fleeting() -> forms.NumberInput:
    """Return the widget of a number that is not saved, excluded from unsaved-changes warnings."""
    return forms.NumberInput(attrs={"data-fleeting": True})


def switch(label: str) -> forms.BooleanField:
    return forms.BooleanField(label=label, required=False)


def rule(label: str, explained: str) -> forms.CharField:
    """Return the field of a statement about data protection."""
    shown = f"{explained} Shown to annotators. Empty: not mentioned."
    return forms.CharField(max_length=300, required=False, label=label, help_text=shown)


class Change(NamedTuple):
    """A setting that a preset would change, in words."""

    label: str
    before: str
    after: str


class LabelsField(forms.CharField):
    """Labels of scale points, one per line: 0 = not similar at all."""

    widget = forms.Textarea(attrs={"rows": 3})

    def has_changed(self, initial: Any, data: Any) -> bool:
        """Compare lines, ignoring line endings."""
        return str(initial or "").splitlines() != str(data or "").splitlines()

    def to_python(self, value: Any) -> Any:
        labels: dict[str, str] = {}
        for line in str(super().to_python(value)).splitlines():
            point, sign, label = (part.strip() for part in line.partition("="))
            if not line.strip():
                continue
            if not sign:
                raise forms.ValidationError(f"Write “{line.strip()}” as 0 = not similar at all.")
            if point in labels:
                raise forms.ValidationError(f"The point {point} has two labels; give only one.")
            labels[point] = label
        return labels


class WorkloadForm(forms.Form):
    """The fields from which workload and power are calculated. The pay is not stored."""

    scale_minimum = decimal("Lowest point")
    scale_maximum = decimal("Highest point")
    scale_step = decimal("Step")
    ratings_per_context = whole("Ratings per context", 1)
    block_size = whole("Pairs in a block, at most", 1, help_text="Rated in one assignment.")
    seconds_per_item = whole(
        "Seconds per text", 1, help_text="For both pages; estimated from the length of the texts."
    )
    n_checkpoints = whole(
        "Checkpoint items in an assignment", 0, help_text="Texts with a known rating."
    )
    pay_per_hour = forms.DecimalField(
        min_value=0, max_digits=9, decimal_places=2, required=False, label="Pay per hour",
        help_text="In any currency; only for the calculation, not saved.", widget=fleeting(),
    )  # fmt: skip
    fee_percent = forms.DecimalField(
        min_value=0, max_value=1000, decimal_places=2, required=False,
        label="Platform fee (%)", help_text="Added to the pay; not saved.",
        widget=fleeting(),
    )  # fmt: skip

    def __init__(self, data: Any = None, *, study: Study, **options: Any) -> None:
        super().__init__(data, **options)
        self.study = study
        self.n_pairs, self.n_items = count_pairs(study)
        if not study.is_draft:
            for name in LOCKED:
                self.fields.pop(name, None)

    @cached_property
    def plan(self) -> Plan | None:
        """Return the workload of the form's numbers; None if one is invalid."""
        if not self.n_pairs:
            return None
        numbers = self._read_numbers()
        if numbers is None:
            return None
        introduction = introduction_seconds(self.study)
        numbers = {name: number for name, number in numbers.items() if name not in SCALE}
        return Plan(n_pairs=self.n_pairs, introduction_seconds=introduction, **numbers)

    @property
    def power(self) -> Power | None:
        """Return the changes that the form's numbers detect; None if a number is invalid."""
        plan, numbers = self.plan, self._read_numbers()
        if plan is None or numbers is None:
            return None
        low, high, step = (numbers[name] for name in SCALE)
        return weigh_power(self.study, plan, (low, high, step))

    def has_changed(self) -> bool:
        """Return whether a stored field differs from its stored value."""
        return bool(set(self.changed_data) - set(PAY))

    def _read_numbers(self) -> dict[str, Any] | None:
        found: dict[str, Any] = {}
        for name in WorkloadForm.base_fields:
            given = self.initial.get(name, getattr(self.study, name, None))
            if self.is_bound and name in self.fields:
                if name in self.errors:
                    return None
                given = self.cleaned_data.get(name)
            found[name] = Decimal(0) if given is None else given
        if list_scale_problems(*(found[name] for name in SCALE)):
            return None
        found["n_checkpoints"] = min(found["n_checkpoints"], self.n_items)
        return found


class DesignForm(WorkloadForm):
    """The settings of a study that can still be changed."""

    title = forms.CharField(max_length=200, help_text="Shown to researchers.")
    public_title = forms.CharField(
        max_length=200, required=False, label="Title for annotators",
        help_text="Heading of their first page; also in invitations and reminders. "
        "Empty: no title is given.",
    )  # fmt: skip
    language = forms.CharField(max_length=35, label="Language of the texts")
    organisation = forms.CharField(
        max_length=200, required=False, label="Organisation that runs the study",
        help_text="Shown to annotators. Required to open the study.",
    )  # fmt: skip
    contact = forms.CharField(
        max_length=200, required=False, label="Contact for annotators",
        help_text="Such as an e-mail address; shown to annotators. Required to open the study.",
    )  # fmt: skip
    ethics = forms.CharField(
        max_length=300, required=False, label="Ethics approval",
        help_text="Board and reference, such as “University of …, no. 123”; shown to annotators. "
        "Empty: not mentioned.",
    )  # fmt: skip
    legal_basis = rule(
        "Legal basis for storing personal data",
        "Such as “Your consent (GDPR, article 6(1)(a))”, in the language of the study.",
    )
    authority = rule("Authority for complaints", "To which annotators may complain.")
    data_protection_officer = rule("Data protection officer", "Name or address.")
    digits = forms.ChoiceField(
        choices=[("", "as usual in the language"), *Digits.choices], required=False,
        label="Digits of the pages in Arabic and Persian",
        help_text="Usual are Western digits in Arabic, and Persian ones in Persian.",
    )  # fmt: skip
    scale_labels = LabelsField(
        required=False, label="Labels of points",
        help_text="One per line, such as 0 = not similar at all. Empty: the two ends have labels.",
    )  # fmt: skip
    question_forms = forms.ChoiceField(
        label="Forms of the two words in the question", choices=QuestionForms.choices,
        help_text="Dictionary forms, as in CoSimLex: where the text has “soldiers”, the question "
        "names “soldier”.",
    )  # fmt: skip
    variant = forms.ChoiceField(
        label="Texts and wording", choices=Variant.choices,
        help_text="Of Cosima’s instructions, practice and check, the labels of both ends, and the "
        "question. Texts of your own stay.",
    )  # fmt: skip
    pay = forms.CharField(
        max_length=100, required=False, label="Pay",
        help_text="Such as “£2.50”, in the language of the study; shown to annotators before they "
        "agree. Empty: not mentioned.",
    )  # fmt: skip
    pay_for_more = forms.CharField(
        max_length=100, required=False, label="Pay for another block",
        help_text="Shown where another block is offered. Empty: annotators read that it is not "
        "paid, if the first one was.",
    )  # fmt: skip
    assigning_policy = forms.ChoiceField(
        label="Assignment of questionnaires", choices=AssigningPolicy.choices
    )
    lease_hours = whole("Hours for which a place is reserved without an answer", 1)
    n_check_tries = whole("Tries for the comprehension check", 0, help_text="0: no check.")
    seed = forms.IntegerField(
        min_value=-MAX_SEED, max_value=MAX_SEED, label="Seed",
        help_text="The same seed and stimuli give the same blocks.",
    )  # fmt: skip
    allows_unjudgeable = switch("Annotators may say that they cannot judge")
    sends_choice = switch("Choosing a number sends it after a moment, in which it can be undone")
    allows_more_blocks = switch("Annotators can do another block after finishing one")
    erases_withdrawn = switch("Withdrawal erases the answers (otherwise they are kept, unused)")
    publishes_words = switch("Words written by annotators are published (the consent text says so)")

    def __init__(
        self, data: Any = None, *, study: Study, preset: Preset | None = None, **options: Any
    ) -> None:
        stored = {name: getattr(study, name, None) for name in DesignForm.base_fields}
        initial = _as_written(stored)
        proposed = _as_written(preset.settings) if preset else {}
        super().__init__(data, study=study, initial={**initial, **proposed}, **options)
        self.preset = preset
        self.changes = [
            Change(str(self[name].label), _write(self[name], initial[name]), _write(self[name]))
            for name in proposed
            if initial[name] != proposed[name]
        ]

    def clean_language(self) -> str:
        language: str = self.cleaned_data["language"].strip()
        if problems := list_language_problems(language):
            raise forms.ValidationError(problems)
        return language

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        ends = [cleaned.get(name) for name in SCALE]
        if all(end is not None for end in ends):
            for problem in list_scale_problems(*ends):  # type: ignore[arg-type]
                field = "scale_step" if "step" in problem else "scale_maximum"
                self.add_error(field, problem[:1].upper() + problem[1:])
        return cleaned

    @property
    def settings(self) -> dict[str, Any]:
        """Return the settings to store; for a valid form."""
        return {name: given for name, given in self.cleaned_data.items() if name not in PAY}

    @property
    def groups(self) -> list[tuple[str, list[forms.BoundField]]]:
        """Return the fields that can be changed, by legend."""
        return [
            (legend, [self[name] for name in names if name in self.fields])
            for legend, names in GROUPS.items()
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


def _as_written(settings: dict[str, Any]) -> dict[str, Any]:
    """Return settings as the fields of the form show them."""
    written = dict(settings)
    for name in SCALE:
        written[name] = Decimal(write_point(written[name]))
    labels = written["scale_labels"].items()
    return {**written, "scale_labels": "\n".join(f"{point} = {label}" for point, label in labels)}


def _write(field: forms.BoundField, stored: Any = STORED) -> str:
    """Return a field's stored value, or the given value, in words; an en dash for none."""
    stored = field.initial if stored is STORED else stored
    if isinstance(field.field, forms.BooleanField):
        return "yes" if stored else "no"
    for choice, label in getattr(field.field, "choices", ()):
        if choice == stored:
            return str(label)
    return "–" if stored in (None, "") else str(stored)


class ProseField(forms.CharField):
    """A text of several lines, compared without regard to line endings."""

    def has_changed(self, initial: Any, data: Any) -> bool:
        before, after = (str(text or "").strip().splitlines() for text in (initial, data))
        return before != after


class PresetForm(forms.Form):
    """The published study to start from."""

    preset = forms.ChoiceField(
        label="Start from a published study",
        choices=CHOICES[1:],
        help_text="Shows what would change; nothing is stored before you save.",
    )


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
