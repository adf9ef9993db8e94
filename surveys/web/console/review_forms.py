from typing import Any

from django import forms

from surveys.models import VerdictKind
from surveys.models.reviewing import LONGEST_REASON
from surveys.query_params import read_number

MOST_BESIDES = 200


class VerdictForm(forms.Form):
    """What a reviewer decides, with the reason where it is against the annotator."""

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
        """Of a valid form."""
        return VerdictKind(self.cleaned_data["kind"]), self.cleaned_data["reason"]


def _share(label: str, help_text: str) -> forms.IntegerField:
    return forms.IntegerField(label=label, help_text=help_text, min_value=0, max_value=100)


class ReviewSettingsForm(forms.Form):
    """How much is reviewed, and by how many."""

    sample_percent = _share(
        "Answers without evidence that are judged, in percent",
        "Those with evidence are all judged. The others are drawn by chance; with 20, every fifth.",
    )
    double_percent = _share(
        "Answers judged by two, in percent",
        "Two reviewers judge them without seeing each other’s verdict; where they differ, a third "
        "person decides.",
    )


def list_chosen(text: Any) -> list[int]:
    """The ids in a list with commas; what is none is passed over."""
    numbers = map(read_number, str(text).split(",")[:MOST_BESIDES])
    return [number for number in numbers if number is not None]
