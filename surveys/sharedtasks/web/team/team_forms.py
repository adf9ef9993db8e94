"""Forms about a team: its name, and the description of its system."""

from typing import Any, ClassVar

from django import forms
from django.core.validators import URLValidator

from surveys.sharedtasks.models import Team
from surveys.sharedtasks.teams.description import FIELDS
from surveys.sharedtasks.teams.names import LONGEST

NAMING = {"False": "The name of the team", "True": "A code"}


class NameForm(forms.Form):
    """The name of a team."""

    name = forms.CharField(max_length=LONGEST, label="Name of the team")


class SecureUrlField(forms.URLField):
    """An address that begins with https."""

    default_validators = [URLValidator(schemes=["https"])]
    default_error_messages: ClassVar = {
        "invalid": "Enter an address that begins with https://, such as https://example.org/paper."
    }

    def __init__(self, **given: Any) -> None:
        super().__init__(assume_scheme="https", max_length=500, required=False, **given)


class DescriptionForm(forms.Form):
    """The description of a team's system, and consent to its publication."""

    system = forms.CharField(max_length=60, required=False, label="Name of the system")
    summary = forms.CharField(
        max_length=1000,
        required=False,
        label="What the system does",
        help_text="Up to 1,000 characters; Markdown for lists, emphasis and links.",
        widget=forms.Textarea(attrs={"rows": 8}),
    )
    models_used = forms.CharField(
        max_length=500,
        required=False,
        label="Models",
        help_text="With versions and sizes, such as xlm-roberta-large, layer 17.",
    )
    resources = forms.CharField(
        max_length=500,
        required=False,
        label="Other resources",
        help_text="Such as human scores out of context, translations, data for fine-tuning; write "
        "“none” for none.",
    )
    paper_url = SecureUrlField(label="Paper (optional)")
    code_url = SecureUrlField(label="Code (optional)")
    contact = forms.CharField(
        max_length=200,
        required=False,
        label="Contact",
        help_text="For the organisers alone; deleted some time after the results are published.",
    )
    publishes_scores = forms.BooleanField(
        required=False,
        label="We agree that our scores are published",
        help_text="Where a description is required, a result without this is not ranked, and "
        "published boards show the code of the team.",
    )
    publishes_files = forms.BooleanField(
        required=False,
        label="We agree that our result files are published under CC BY 4.0",
        help_text="Optional. Others can then analyse them.",
    )
    hides_name = forms.TypedChoiceField(
        choices=NAMING.items(),
        coerce=lambda chosen: chosen == "True",
        widget=forms.RadioSelect,
        label="Name on boards",
    )

    @classmethod
    def of(cls, team: Team, sent: Any) -> "DescriptionForm":
        """Return the form of a team, bound to what was sent, or with the stored values."""
        stored = {name: getattr(team, name) for name in FIELDS}
        return cls(sent, initial=stored | {"hides_name": str(team.hides_name)})
