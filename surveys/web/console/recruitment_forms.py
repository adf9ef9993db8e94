from typing import Any

from django import forms

from surveys.models import AssignmentState
from surveys.models.recruitment import REVOKED, UNUSED
from surveys.query_params import read_number
from surveys.recruitment.links import LONGEST_NOTE, MOST_INVITED

LARGEST_LIST = 3_000_000  # bytes
MOST = 2_147_483_647  # what the database holds
ADD_ONE = "Give either a number or a list."


class InvitationFilter(forms.Form):
    """Which personal links are listed."""

    state = forms.ChoiceField(
        choices=[("", "any"), (UNUSED, "Unused"), *AssignmentState.choices, (REVOKED, "Revoked")],
        required=False,
        label="Where they are",
    )
    note = forms.CharField(max_length=LONGEST_NOTE, required=False, label="In the note")
    through = forms.ChoiceField(
        choices=[("", "personal links"), ("all", "also those who came by other ways")],
        required=False,
        label="Which links",
    )


class InviteForm(forms.Form):
    """How many links are wanted, or for whom."""

    count = forms.IntegerField(
        min_value=1, max_value=MOST_INVITED, required=False, label="How many links"
    )
    listed = forms.CharField(
        widget=forms.Textarea(attrs={"rows": 6}),
        required=False,
        label="Or for whom: a label or an e-mail address, one a line",
        help_text="Whoever has a link already gets no second one. Addresses are personal data: "
        "only owners see them, and they are in no export of answers.",
    )
    file = forms.FileField(required=False, label="Or the same as a text file")

    def clean_file(self) -> str:
        file = self.cleaned_data["file"]
        if file is None:
            return ""
        if file.size > LARGEST_LIST:
            raise forms.ValidationError("The file is larger than 3 MB; is it a list?")
        try:
            text: str = file.read().decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise forms.ValidationError("The file is no text in UTF-8; save it as that.") from error
        return text

    def clean(self) -> dict[str, Any]:
        given = [name for name in ("count", "listed", "file") if self.cleaned_data.get(name)]
        if len(given) != 1 and not self.errors:
            raise forms.ValidationError(ADD_ONE)
        return self.cleaned_data

    @property
    def n_before(self) -> int:
        """How many links there were when the form was shown; -1 if it does not say so."""
        sent = read_number(self.data.get("n_before", ""))
        return -1 if sent is None else sent

    @property
    def lines(self) -> list[str]:
        """The list that was given, by either way."""
        text: str = self.cleaned_data["listed"] or self.cleaned_data["file"]
        return text.splitlines()


class RevokeForm(forms.Form):
    """Why a link is revoked."""

    because = forms.CharField(
        max_length=200, label="Reason", help_text="Kept with the link and in the log."
    )


class EntranceForm(forms.Form):
    """The open link of a study."""

    cap = forms.IntegerField(
        min_value=1, max_value=MOST, required=False, label="How many may start here",
        help_text="Empty: as many as there are places.",
    )  # fmt: skip
    completion_code = forms.CharField(
        max_length=40, required=False, label="Code for who has finished"
    )
    no_place_code = forms.CharField(
        max_length=40, required=False, label="Code for who found no place"
    )

    def clean(self) -> dict[str, Any]:
        """All fields may be empty, so what came without any might be taken for that."""
        if "cap" not in self.data:
            raise forms.ValidationError("The form did not arrive whole; send it again.")
        return self.cleaned_data


class ProlificForm(EntranceForm):
    """The study's place on Prolific."""

    completion_code = forms.CharField(
        max_length=40,
        label="Completion code for who has finished",
        help_text="Prolific shows it with the study there, under “completion codes”.",
    )
    no_place_code = forms.CharField(
        max_length=40,
        required=False,
        label="Code for who found no place or was screened out",
        help_text="Another of its codes, so that the two are told apart and paid apart.",
    )
