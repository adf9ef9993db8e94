from django import forms

from surveys.models import AssignmentState


class RepeatForm(forms.Form):
    """Reason for repeating a block, with the number of the round that was shown."""

    reason = forms.CharField(
        max_length=500,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text="Kept with the block and in the log.",
    )
    round_number = forms.IntegerField(min_value=1, widget=forms.HiddenInput)


class AnnotatorFilter(forms.Form):
    """Filter of the list of assignments."""

    state = forms.ChoiceField(
        choices=[("", "any"), *AssignmentState.choices], required=False, label="State"
    )
    code = forms.CharField(max_length=16, required=False, label="Code begins with")
