"""Forms about the teams of a shared task and their submissions."""

from collections.abc import Sequence
from typing import Any

from django import forms

from surveys.sharedtasks.models import Phase, Team

LONGEST_REASON = 300


class TeamNameForm(forms.Form):
    """The name of a new team."""

    name = forms.CharField(
        max_length=40,
        label="Name of the team",
        help_text="2 to 40 characters. The team can change it until test data is out.",
    )


class ReasonForm(forms.Form):
    """A reason that the team reads."""

    reason = forms.CharField(
        max_length=LONGEST_REASON, help_text="The team reads it, and it stays in the log."
    )


class PhaseForm(forms.Form):
    """One of some phases."""

    phase = forms.ModelChoiceField(Phase.objects.none())

    def __init__(self, phases: Sequence[Phase], *sent: Any) -> None:
        super().__init__(*sent)
        field: Any = self.fields["phase"]
        field.queryset = Phase.objects.filter(pk__in=[phase.pk for phase in phases])
        field.choices = [(phase.pk, phase.name) for phase in phases]


class AllowanceForm(PhaseForm, ReasonForm):
    """More attempts for a team in a phase."""

    n_attempts = forms.IntegerField(min_value=1, max_value=1000, label="More attempts")
    field_order = ("phase", "n_attempts", "reason")


class MergeForm(ReasonForm):
    """The team to merge another team into."""

    into = forms.ModelChoiceField(
        Team.objects.none(), label="Merge it into", empty_label="choose a team"
    )
    field_order = ("into", "reason")

    def __init__(self, teams: Any, *sent: Any) -> None:
        super().__init__(*sent)
        field: Any = self.fields["into"]
        field.queryset = teams


class OwnFilesForm(PhaseForm):
    """Result files of the organisers."""

    results = forms.FileField(
        label="File", help_text="A zip with result files, or a result file, as teams send them."
    )
    baseline = forms.CharField(
        required=False,
        max_length=40,
        label="Name of the baseline",
        help_text="It stands on the boards under this name, in italics. Empty for a trial run.",
    )

    def read_files(self) -> list[tuple[str, bytes]]:
        """Return the name and content of the file."""
        file = self.cleaned_data["results"]
        return [(file.name, file.read())]
