from typing import Any

from django import forms

from surveys.errors import ImportRefused
from surveys.models import AssignmentState
from surveys.models.recruitment import REVOKED, UNUSED
from surveys.query_params import read_number
from surveys.recruitment.links import LONGEST_NOTE, MOST_INVITED
from surveys.study.stimuli.kinds import decode_file

MAX_LIST_BYTES = 3_000_000
MAX_INTEGER = 2_147_483_647  # of the database
ADD_ONE = "Give either a number or a list."


def read_text_file(file: Any) -> str:
    """Return the text of an uploaded file, empty without one. Raises ValidationError."""
    if file is None:
        return ""
    if file.size > MAX_LIST_BYTES:
        raise forms.ValidationError("The file is larger than 3 MB; is it a list?")
    try:
        return decode_file(file.read())
    except ImportRefused as error:
        raise forms.ValidationError(f"The file cannot be read: {error}") from error


class InvitationFilter(forms.Form):
    """Filter of the personal links."""

    state = forms.ChoiceField(
        choices=[("", "any"), (UNUSED, "Unused"), *AssignmentState.choices, (REVOKED, "Revoked")],
        required=False,
        label="State",
    )
    note = forms.CharField(max_length=LONGEST_NOTE, required=False, label="Note contains")
    through = forms.ChoiceField(
        choices=[("", "personal links"), ("all", "all links, including those from other sources")],
        required=False,
        label="Links",
    )


class InviteForm(forms.Form):
    """The number of links to create, or a list of people."""

    count = forms.IntegerField(
        min_value=1, max_value=MOST_INVITED, required=False, label="Number of links"
    )
    listed = forms.CharField(
        widget=forms.Textarea(attrs={"rows": 6}),
        required=False,
        label="One label or e-mail address per line",
        help_text="Entries that already have a link do not get a second one. E-mail addresses are "
        "personal data: only owners see them, and they are not part of exported answers.",
    )
    file = forms.FileField(required=False, label="Or the list as a text file, in UTF-8")

    def clean_file(self) -> str:
        return read_text_file(self.cleaned_data["file"])

    def clean(self) -> dict[str, Any]:
        given = [name for name in ("count", "listed", "file") if self.cleaned_data.get(name)]
        if len(given) != 1 and not self.errors:
            raise forms.ValidationError(ADD_ONE)
        return self.cleaned_data

    @property
    def n_before(self) -> int:
        """Return how many links there were when the form was shown; -1 if missing."""
        sent = read_number(self.data.get("n_before", ""))
        return -1 if sent is None else sent

    @property
    def lines(self) -> list[str]:
        """Return the lines of the list, typed or uploaded."""
        text: str = self.cleaned_data["listed"] or self.cleaned_data["file"]
        return text.splitlines()


class SendForm(forms.Form):
    """The version of the text that was shown before its e-mails are queued."""

    version = forms.CharField(max_length=9, widget=forms.HiddenInput)


class RevokeForm(forms.Form):
    """The reason for revoking a link."""

    because = forms.CharField(
        max_length=200, label="Reason", help_text="Kept with the link and in the log."
    )


class EntranceForm(forms.Form):
    """The open link of a study."""

    cap = forms.IntegerField(
        min_value=1, max_value=MAX_INTEGER, required=False, label="Maximum number of annotators",
        help_text="Empty: as many as there are open places.",
    )  # fmt: skip
    completion_code = forms.CharField(max_length=40, required=False, label="Completion code")
    no_place_code = forms.CharField(max_length=40, required=False, label="No-place code")

    def clean(self) -> dict[str, Any]:
        """Refuse a request without any fields: since all may be empty, it would be valid."""
        if "cap" not in self.data:
            raise forms.ValidationError("The form was incomplete; send it again.")
        return self.cleaned_data


class CodesForm(EntranceForm):
    """The settings of a channel to which annotators return with a completion code."""

    completion_code = forms.CharField(
        max_length=40,
        label="Completion code",
        help_text="Shown there under “completion codes” of the study.",
    )
    no_place_code = forms.CharField(
        max_length=40,
        required=False,
        label="No-place code",
        help_text="For annotators who found no place or were screened out: a second code "
        "on Prolific, so that they can be distinguished and paid separately.",
    )
