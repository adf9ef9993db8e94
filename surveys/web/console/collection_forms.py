from django import forms

from surveys.models import AssignmentState


class RepeatForm(forms.Form):
    """Why a block is collected again; the round that was looked at goes with it."""

    reason = forms.CharField(
        max_length=500,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text="Kept with the block and in the log.",
    )
    round_number = forms.IntegerField(min_value=1, widget=forms.HiddenInput)


class AnnotatorFilter(forms.Form):
    """Which assignments of a study are listed."""

    state = forms.ChoiceField(
        choices=[("", "any"), *AssignmentState.choices], required=False, label="State"
    )
    code = forms.CharField(max_length=16, required=False, label="Annotator, from its beginning")
