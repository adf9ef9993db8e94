from django import forms

from surveys.participation.withdrawal import MAX_REASON_LENGTH
from surveys.privacy.retention import MAX_DAYS

MAX_SEARCH_LENGTH = 200


class RetentionForm(forms.Form):
    """Days until personal data is dropped."""

    days = forms.IntegerField(
        min_value=0,
        max_value=MAX_DAYS,
        required=False,
        label="Days after payment",
        help_text="Empty: ids and notes are kept without limit.",
    )


class FindForm(forms.Form):
    """Search for a person."""

    text = forms.CharField(
        max_length=MAX_SEARCH_LENGTH,
        label="Code, provider id, link, or part of the note",
        help_text="Dropped ids and notes are found if they are given in full.",
    )


class ErasureForm(forms.Form):
    """Reason for an erasure."""

    because = forms.CharField(
        max_length=MAX_REASON_LENGTH,
        label="Reason",
        help_text="Kept in the log, so without addresses or ids; such as “requested by e-mail”.",
    )
