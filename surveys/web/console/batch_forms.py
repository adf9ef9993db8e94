from collections.abc import Mapping
from datetime import datetime, time
from decimal import Decimal
from typing import Any

from django import forms
from django.utils import timezone

from surveys.crowd.batch_summary import UNDECIDED
from surveys.crowd.mturk.requirements import read_countries, write_requirements
from surveys.crowd.mturk.targets import list_enabled
from surveys.crowd.offer import Cost, FreePlaces, Pace, choose_places, cost_places
from surveys.errors import SurveyError
from surveys.models import Provider, Qualification, Questionnaire, Standing, Study
from surveys.models.batches import DAY
from surveys.query_params import read_number

MOST = 2_147_483_647  # cents, and whatever else the database holds
MOST_PLACES = 32_767  # of a questionnaire
HIGHEST_REWARD = 100_000  # cents
MOST_DAYS = 365
TERMS = ("title", "description", "keywords")
GROUPS = {
    "Which places": ("target", "each", "named", "reward_cents"),
    "What people see": TERMS,
    "How long": ("assignment_minutes", "lifetime_days", "auto_approval_days"),
    "Who may": ("countries", "approval_percent", "n_approved", "private_task"),
}


class MoneyField(forms.DecimalField):
    """An amount in dollars, as cents."""

    def __init__(self, *, most_cents: int = MOST, **options: Any) -> None:
        most = Decimal(most_cents) / 100
        lowest = Decimal("0.01")
        super().__init__(min_value=lowest, max_value=most, decimal_places=2, **options)

    def clean(self, value: Any) -> Any:
        dollars = super().clean(value)
        return None if dollars is None else int(dollars * 100)


def number(label: str, most: int, lowest: int = 1, **more: Any) -> forms.IntegerField:
    return forms.IntegerField(label=label, min_value=lowest, max_value=most, **more)


class CostForm(forms.Form):
    """What a batch costs follows from these."""

    each = number(
        "Places of each questionnaire", MOST_PLACES,
        help_text="As far as they are free. They are kept for this batch until its HITs are over.",
    )  # fmt: skip
    named = forms.CharField(
        max_length=10_000, required=False, label="Only of these questionnaires",
        help_text="Such as 1A, 2B, or 3A:4 for four places of 3A. Empty: all with free places.",
        widget=forms.TextInput(attrs={"data-counts": ""}),
    )  # fmt: skip
    reward_cents = MoneyField(
        most_cents=HIGHEST_REWARD, label="Reward for one place, in dollars",
        help_text="The fee comes on top.",
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
        """At which the places are offered, and whose rates count."""
        return self.cleaned_data.get("target") or Provider.SIMULATOR

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
    """A batch: which places, for how much, for whom."""

    target = forms.ChoiceField(widget=forms.RadioSelect, initial=Provider.SIMULATOR, label="Where")
    title = forms.CharField(max_length=128, help_text="Of the task, in the list that people see.")
    description = forms.CharField(max_length=2000, widget=forms.Textarea(attrs={"rows": 3}))
    keywords = forms.CharField(
        max_length=1000, required=False, help_text="Separated by commas; people search by them."
    )
    assignment_minutes = number(
        "Minutes for one person", MOST_DAYS * DAY // 60,
        help_text="Plenty: whoever runs out of time loses the reward, not the answers.",
    )  # fmt: skip
    lifetime_days = number("Days on offer", MOST_DAYS, initial=7)
    auto_approval_days = number(
        "Days until people are paid if nobody decides", 30, initial=3,
        help_text="So that they are paid even if this site is down.",
    )  # fmt: skip
    countries = forms.CharField(
        max_length=200, required=False, help_text="Two letters each, such as SI, HR. Empty: any."
    )
    approval_percent = number(
        "Share of their work that was approved, in per cent, at least", 100, 0, required=False,
        help_text="Counts as 100 for who has done fewer than 100 HITs, so ask for HITs, too.",
    )  # fmt: skip
    n_approved = number("HITs approved, at least", MOST, 0, required=False)
    private_task = forms.ModelChoiceField(
        Qualification.objects.none(), required=False, empty_label="everybody",
        label="Only those chosen for",
        help_text="People are chosen among those of an earlier batch.",
    )  # fmt: skip

    def __init__(self, data: Any = None, *, study: Study, **options: Any) -> None:
        super().__init__(data, **options)
        targets = [(one.provider.value, one.provider.label) for one in list_enabled()]
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
            self.add_error("private_task", "They were chosen at another target.")
        return cleaned

    @property
    def terms(self) -> dict[str, Any]:
        """The fields of the batch. Of a valid form."""
        given = self.cleaned_data
        asked = ("countries", "approval_percent", "n_approved", "private_task")
        return {
            **{name: given[name] for name in (*TERMS, "reward_cents")},
            "assignment_seconds": given["assignment_minutes"] * 60,
            "lifetime_seconds": given["lifetime_days"] * DAY,
            "auto_approval_seconds": given["auto_approval_days"] * DAY,
            "requirements": write_requirements(**{name: given[name] for name in asked}),
        }

    @property
    def groups(self) -> list[tuple[str, list[forms.BoundField]]]:
        """The fields in their groups."""
        return [(legend, [self[name] for name in names]) for legend, names in GROUPS.items()]


class ArmForm(forms.Form):
    """Somebody answers for the money of a batch."""

    typed_cents = MoneyField(label="Type the total, in dollars")
    ceiling_cents = MoneyField(
        label="Ceiling, in dollars",
        help_text="The total or more: what is above it leaves room for bonuses.",
    )
    last_day = forms.DateField(
        label="Last day", help_text="As 2027-12-31, until midnight UTC. Nothing is paid later.",
        widget=forms.DateInput(attrs={"placeholder": "2027-12-31"}),
    )  # fmt: skip

    @property
    def until(self) -> datetime:
        """The end of the last day, in UTC."""
        return timezone.make_aware(datetime.combine(self.cleaned_data["last_day"], time.max))


class PeopleFilter(forms.Form):
    """Which people of a batch are listed."""

    standing = forms.ChoiceField(
        choices=[
            ("", "everybody"), ("none", UNDECIDED), ("flagged", "payable, with a wrong code"),
            *Standing.choices,
        ],
        required=False, label="Who",
    )  # fmt: skip


class ReasonForm(forms.Form):
    """Why a person decides so."""

    reason = forms.CharField(
        max_length=200, label="Reason", help_text="Kept in the ledger and in the log."
    )


class FeedbackForm(forms.Form):
    """What somebody is told whose work is rejected."""

    feedback = forms.CharField(
        max_length=1000, label="What they are told",
        widget=forms.Textarea(attrs={"rows": 3}),
    )  # fmt: skip


class CompensationForm(ReasonForm):
    """What unpaid work was paid with, elsewhere."""

    amount_cents = MoneyField(most_cents=HIGHEST_REWARD, label="Amount, in dollars")


class ChosenField(forms.MultipleChoiceField):
    """The boxes that somebody has ticked, by the numbers of their rows."""

    def valid_value(self, value: str) -> bool:
        return read_number(value) is not None

    def clean(self, value: Any) -> Any:
        return {int(number) for number in super().clean(value)}


class ChosenForm(ReasonForm):
    """Those who are chosen for something, and why."""

    chosen = ChosenField(error_messages={"required": "Tick somebody in the table."})

    @property
    def ticked(self) -> list[str]:
        """What was ticked when the form was sent."""
        return self.data.getlist("chosen") if self.is_bound else []  # type: ignore[attr-defined]


class BonusForm(ChosenForm):
    """A bonus; its key was made when the page was shown, so that sent twice it is paid once."""

    amount_cents = MoneyField(
        most_cents=HIGHEST_REWARD, label="Bonus for each, in dollars",
        help_text="Only for a bonus. The fee comes on top.",
    )  # fmt: skip
    key = forms.RegexField(r"\A[0-9a-f]{32}\Z", widget=forms.HiddenInput)

    field_order = ("chosen", "amount_cents", "reason", "key")
