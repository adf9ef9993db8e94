from typing import Any

from django import forms

from surveys.models import VerdictKind
from surveys.models.review import LONGEST_REASON
from surveys.query_params import read_number

MAX_IDS = 200


class VerdictForm(forms.Form):
    """Verdict of a reviewer, with a reason if it is a rejection."""

    kind = forms.ChoiceField(
        choices=VerdictKind.choices,
        error_messages={
            "required": "Choose a verdict.",
            "invalid_choice": "Choose one of the three verdicts.",
        },
    )
    reason = forms.CharField(required=False, max_length=LONGEST_REASON)
    then = forms.ChoiceField(
        required=False, choices=[("queue", "queue"), ("questionnaire", "questionnaire")]
    )

    @property
    def decided(self) -> tuple[VerdictKind, str]:
        """Return the verdict and the reason of a valid form."""
        return VerdictKind(self.cleaned_data["kind"]), self.cleaned_data["reason"]


def _share(label: str, help_text: str) -> forms.IntegerField:
    return forms.IntegerField(label=label, help_text=help_text, min_value=0, max_value=100)


class ReviewSettingsForm(forms.Form):
    """Share of answers that is reviewed, and share reviewed by two reviewers."""

    sample_percent = _share(
        "Answers without evidence that are judged, in per cent",
        "Answers with evidence are always judged; a random sample of the others is: with 20, every "
        "fifth.",
    )
    double_percent = _share(
        "Answers judged by two reviewers, in per cent",
        "Neither sees the other’s verdict; where they differ, a third reviewer decides.",
    )


def parse_ids(text: Any) -> list[int]:
    """Return the ids in a comma-separated list, ignoring everything that is not one."""
    numbers = map(read_number, str(text).split(",")[:MAX_IDS])
    return [number for number in numbers if number is not None]
