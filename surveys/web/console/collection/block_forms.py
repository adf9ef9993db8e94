from django import forms

from surveys.models import AssignmentState
from surveys.monitoring.listing import BLOCK_ORDERS, LATEST, LOOKS, ORDERS


class RepeatForm(forms.Form):
    """Reason for repeating a block, with the number of the round that was shown."""

    reason = forms.CharField(
        max_length=500,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text="Kept with the block and in the log.",
    )
    round_number = forms.IntegerField(min_value=1, widget=forms.HiddenInput)


class AnnotatorFilter(forms.Form):
    """Filters and order of a list of assignments."""

    state = forms.ChoiceField(
        choices=[("", "any"), *AssignmentState.choices], required=False, label="State"
    )
    code = forms.CharField(max_length=16, required=False, label="Code begins with")
    look = forms.ChoiceField(choices=list(LOOKS.items()), required=False, label="Warnings")
    order = forms.ChoiceField(choices=list(ORDERS.items()), required=False, label="Sort by")

    def listed(self) -> dict[str, str]:
        """Return the order, and which warnings are wanted."""
        valid = self.cleaned_data if self.is_valid() else {}
        return {"look": valid.get("look", ""), "order": valid.get("order") or LATEST}

    def narrowed(self) -> dict[str, str]:
        """Return the filters that are columns of an assignment."""
        valid = self.cleaned_data if self.is_valid() else {}
        return {name: valid[name] for name in ("state", "code") if name in valid}


class BlockFilter(forms.Form):
    """Filter and order of the list of blocks."""

    look = forms.ChoiceField(choices=list(LOOKS.items()), required=False, label="Agreement")
    order = forms.ChoiceField(choices=list(BLOCK_ORDERS.items()), required=False, label="Sort by")

    def listed(self) -> dict[str, str]:
        """Return the order, and which agreement is wanted."""
        valid = self.cleaned_data if self.is_valid() else {}
        return {"look": valid.get("look", ""), "order": valid.get("order") or "number"}
