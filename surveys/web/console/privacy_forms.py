from django import forms

from surveys.participation.withdrawal import LONGEST_BECAUSE
from surveys.privacy.retention import MOST_DAYS

LONGEST_SEARCH = 200


class RetentionForm(forms.Form):
    """For how long it is known who somebody is."""

    days = forms.IntegerField(
        min_value=0,
        max_value=MOST_DAYS,
        required=False,
        label="Days after payment",
        help_text="Empty: ids and notes are kept.",
    )


class FindForm(forms.Form):
    """Somebody, by whatever they are known."""

    text = forms.CharField(
        max_length=LONGEST_SEARCH,
        label="Code, id at the provider, link, or what stands in the note",
        help_text="An id or a note that was dropped is found if it is given in full.",
    )


class ErasureForm(forms.Form):
    """Why somebody is erased."""

    because = forms.CharField(
        max_length=LONGEST_BECAUSE,
        label="Reason",
        help_text="Kept in the log, without addresses and ids: such as “asked for it by mail”.",
    )
