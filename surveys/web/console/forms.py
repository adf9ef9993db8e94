from typing import Any, TypeVar

from django import forms
from django.contrib.auth.models import User

from surveys.access.roles import find_account
from surveys.errors import AccessRefused
from surveys.models import Role
from surveys.web.forms import refuse_unreadable

Row = TypeVar("Row", bound=forms.Form)


class RowForm(forms.Form):
    """A form of a formset, such as an author or a question; fields must be readable texts."""

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        refuse_unreadable(self)
        return cleaned


def name_rows(rows: "forms.BaseFormSet[Row]", name: str) -> list[tuple[str, Row]]:
    """Return the forms of a formset with their names; the last is the one to add."""
    article = "an" if name[0] in "AEIOU" else "a"
    names = [f"{name} {number}" for number in range(1, len(rows.forms))]
    return list(zip([*names, f"Add {article} {name.lower()}"], rows.forms, strict=False))


class MemberForm(forms.Form):
    """The role of an account in a study."""

    username = forms.CharField(max_length=150, label="Name of the account")
    role = forms.ChoiceField(
        choices=Role.choices, widget=forms.RadioSelect, initial=Role.RESEARCHER
    )

    def clean_username(self) -> User:
        try:
            return find_account(self.cleaned_data["username"])
        except AccessRefused as error:
            raise forms.ValidationError(str(error)) from error


class InviteForm(forms.Form):
    """The name of a new account, and its role in a study."""

    username = forms.CharField(max_length=150, label="Name of the new account")
    role = forms.ChoiceField(
        choices=Role.choices, widget=forms.RadioSelect, initial=Role.RESEARCHER
    )
