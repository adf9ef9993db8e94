from collections.abc import Mapping
from datetime import datetime, time
from decimal import Decimal
from typing import Any

from django import forms
from django.utils import timezone

from surveys.crowd.batches.offer import Cost, FreePlaces, Pace, choose_places, cost_places
from surveys.crowd.batches.summary import UNDECIDED
from surveys.crowd.models import DAY, Qualification
from surveys.crowd.mturk.qualifications import read_countries, write_requirements
from surveys.crowd.mturk.targets import DEFAULT, list_enabled
from surveys.errors import SurveyError
from surveys.models import Questionnaire, ReconciliationResult, Study
from surveys.query_params import read_number

MAX_INTEGER = 2_147_483_647  # of the database
MAX_PLACES = 32_767  # of a questionnaire
MAX_REWARD_CENTS = 100_000
MAX_DAYS = 365
TERMS = ("title", "description", "keywords")
GROUPS = {
    "Places": ("target", "each", "named", "reward_cents"),
    "What workers see": TERMS,
    "Time limits": ("assignment_minutes", "lifetime_days", "auto_approval_days"),
    "Requirements": ("countries", "approval_percent", "n_approved", "private_task"),
}


class MoneyField(forms.DecimalField):
    """An amount that is entered in dollars and cleaned to cents."""

    def __init__(self, *, max_cents: int = MAX_INTEGER, **options: Any) -> None:
        highest = Decimal(max_cents) / 100
        lowest = Decimal("0.01")
        super().__init__(min_value=lowest, max_value=highest, decimal_places=2, **options)

    def clean(self, value: Any) -> Any:
        dollars = super().clean(value)
        return None if dollars is None else int(dollars * 100)


def number(label: str, highest: int, lowest: int = 1, **options: Any) -> forms.IntegerField:
    return forms.IntegerField(label=label, min_value=lowest, max_value=highest, **options)


class CostForm(forms.Form):
    """The fields from which the cost of a batch is calculated."""

    each = number(
        "Places in each questionnaire", MAX_PLACES,
        help_text="At most as many as are open. Reserved for this batch until its HITs end.",
    )  # fmt: skip
    named = forms.CharField(
        max_length=10_000, required=False, label="Only these questionnaires",
        help_text="Such as 1A, 2B, or 3A:4 for four places of 3A. Empty: all with open places.",
        widget=forms.TextInput(attrs={"data-counts": ""}),
    )  # fmt: skip
    reward_cents = MoneyField(
        max_cents=MAX_REWARD_CENTS, label="Reward per place, in dollars",
        help_text="Excluding the fee.",
    )  # fmt: skip

    def __init__(
        self, data: Any = None, *, free: list[FreePlaces], pace: Pace, **options: Any
    ) -> None:
        super().__init__(data, **options)
        self.free, self.pace = free, pace
        self.places: Mapping[Questionnaire, int] = {}
        self.cost: Cost | None = None

    @property
    def provider(self) -> str:
        """Return the provider that offers the places and whose fees apply."""
        return self.cleaned_data.get("target") or DEFAULT

    def clean(self) -> dict[str, Any]:
        each, reward = (self.cleaned_data.get(name) for name in ("each", "reward_cents"))
        if each is None or reward is None or "named" in self.errors:
            return self.cleaned_data
        try:
            self.places = choose_places(self.free, each, self.cleaned_data["named"])
            self.cost = cost_places(self.provider, self.places, reward, self.pace)
        except SurveyError as error:
            self.add_error("named", str(error))
        return self.cleaned_data


class PlanForm(CostForm):
    """The plan of a batch: places, reward, texts, time limits and requirements."""

    target = forms.ChoiceField(widget=forms.RadioSelect, initial=DEFAULT, label="Provider")
    title = forms.CharField(max_length=128, help_text="Title of the task in the workers’ list.")
    description = forms.CharField(max_length=2000, widget=forms.Textarea(attrs={"rows": 3}))
    keywords = forms.CharField(
        max_length=1000, required=False, help_text="Separated by commas; workers search by them."
    )
    assignment_minutes = number(
        "Minutes per worker", MAX_DAYS * DAY // 60,
        help_text="Be generous: workers who run out of time lose the reward, not the answers.",
    )  # fmt: skip
    lifetime_days = number("Days on offer", MAX_DAYS, initial=7)
    auto_approval_days = number(
        "Days until undecided work is approved automatically", 30, initial=3,
        help_text="Workers are then paid even if this site is down.",
    )  # fmt: skip
    countries = forms.CharField(
        max_length=200, required=False, help_text="Two-letter codes, such as SI, HR. Empty: any."
    )
    approval_percent = number(
        "Minimum approval rate of the worker, in per cent", 100, 0, required=False,
        help_text="Is 100 for workers with fewer than 100 HITs, so set a minimum of HITs, too.",
    )  # fmt: skip
    n_approved = number("Minimum number of approved HITs", MAX_INTEGER, 0, required=False)
    private_task = forms.ModelChoiceField(
        Qualification.objects.none(), required=False, empty_label="all workers",
        label="Only workers selected for",
        help_text="Workers are selected among an earlier batch’s workers.",
    )  # fmt: skip

    def __init__(self, data: Any = None, *, study: Study, **options: Any) -> None:
        super().__init__(data, **options)
        targets = [(t.provider.value, t.provider.label) for t in list_enabled()]
        self.fields["target"].choices = targets  # type: ignore[attr-defined]
        self.fields["private_task"].queryset = (  # type: ignore[attr-defined]
            Qualification.objects.filter(study=study, block=None).exclude(qualification_type_id="")
        )
        self.initial.setdefault("assignment_minutes", self.pace.allowed_minutes)

    def clean_countries(self) -> list[str]:
        try:
            return read_countries(self.cleaned_data["countries"])
        except SurveyError as error:
            raise forms.ValidationError(str(error)) from error

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean()
        task = cleaned.get("private_task")
        if task and task.provider != self.provider:
            self.add_error("private_task", "These workers were selected at another provider.")
        return cleaned

    @property
    def terms(self) -> dict[str, Any]:
        """Return the fields of the batch; for a valid form."""
        given = self.cleaned_data
        conditions = ("countries", "approval_percent", "n_approved", "private_task")
        return {
            **{name: given[name] for name in (*TERMS, "reward_cents")},
            "assignment_seconds": given["assignment_minutes"] * 60,
            "lifetime_seconds": given["lifetime_days"] * DAY,
            "auto_approval_seconds": given["auto_approval_days"] * DAY,
            "requirements": write_requirements(**{name: given[name] for name in conditions}),
        }

    @property
    def groups(self) -> list[tuple[str, list[forms.BoundField]]]:
        """Return the fields by legend."""
        return [(legend, [self[name] for name in names]) for legend, names in GROUPS.items()]


class ApprovalForm(forms.Form):
    """An owner's approval of a budget; the total is entered again as a confirmation."""

    typed_cents = MoneyField(label="Enter the total, in dollars")
    ceiling_cents = MoneyField(
        label="Ceiling, in dollars",
        help_text="The total or more; the difference is available for bonuses.",
    )
    last_day = forms.DateField(
        label="Last day", help_text="As 2027-12-31, until midnight UTC. Nothing is paid later.",
        widget=forms.DateInput(attrs={"placeholder": "2027-12-31"}),
    )  # fmt: skip

    @property
    def until(self) -> datetime:
        """Return the end of the last day, in UTC."""
        return timezone.make_aware(datetime.combine(self.cleaned_data["last_day"], time.max))


class PeopleFilter(forms.Form):
    """Filter of the workers of a batch."""

    standing = forms.ChoiceField(
        choices=[
            ("", "all"), ("none", UNDECIDED), ("flagged", "payable, with a wrong code"),
            *ReconciliationResult.choices,
        ],
        required=False, label="Status",
    )  # fmt: skip


class ReasonForm(forms.Form):
    """The reason for a decision."""

    reason = forms.CharField(
        max_length=200, label="Reason", help_text="Kept in the ledger and in the log."
    )


class FeedbackForm(forms.Form):
    """The message to a worker whose work is rejected."""

    feedback = forms.CharField(
        max_length=1000, label="Message to the worker",
        widget=forms.Textarea(attrs={"rows": 3}),
    )  # fmt: skip


class CompensationForm(ReasonForm):
    """A payment for unpaid work that was made elsewhere."""

    amount_cents = MoneyField(max_cents=MAX_REWARD_CENTS, label="Amount, in dollars")


class ChosenField(forms.MultipleChoiceField):
    """The ids of the rows whose boxes are checked."""

    def valid_value(self, value: str) -> bool:
        return read_number(value) is not None

    def clean(self, value: Any) -> Any:
        return {int(number) for number in super().clean(value)}


class ChosenForm(ReasonForm):
    """Selected workers, and the reason for the selection."""

    chosen = ChosenField(error_messages={"required": "Select at least one person in the table."})

    @property
    def ticked(self) -> list[str]:
        """Return the checked ids as they were sent."""
        return self.data.getlist("chosen") if self.is_bound else []  # type: ignore[attr-defined]


class BonusForm(ChosenForm):
    """A bonus; its key, created with the page, makes paying it idempotent."""

    amount_cents = MoneyField(
        max_cents=MAX_REWARD_CENTS, label="Bonus per person, in dollars",
        help_text="Only for a bonus, excluding the fee.",
    )  # fmt: skip
    key = forms.RegexField(r"\A[0-9a-f]{32}\Z", widget=forms.HiddenInput)

    field_order = ("chosen", "amount_cents", "reason", "key")
