from collections.abc import Callable
from typing import Any

from django import forms
from django.contrib.auth.models import User

from surveys.access.roles import find_account
from surveys.errors import AccessRefused, SurveyError
from surveys.models import Role

UNREADABLE = "\N{REPLACEMENT CHARACTER}"


def attempt(form: forms.Form, action: Callable[[], Any]) -> bool:
    """Do what a valid form asks for. False where the form was wrong or the action refuses it.

    What is refused stands over the form, a line each.
    """
    if not form.is_valid() or _refuse_unreadable(form):
        return False
    try:
        action()
    except SurveyError as error:
        for line in str(error).splitlines():
            form.add_error(None, line)
        return False
    return True


def _refuse_unreadable(form: forms.Form) -> bool:
    """Say at each field that it holds what was no UTF-8, of which Django leaves this character."""
    sent = {name: str(form.data.get(form.add_prefix(name))) for name in form.fields}
    found = [name for name, text in sent.items() if UNREADABLE in text]
    for name in found:
        form.add_error(name, f"Part of this could not be read ({UNREADABLE}); write it anew.")
    return bool(found)


class MemberForm(forms.Form):
    """Somebody's role in a study."""

    username = forms.CharField(max_length=150, label="Name of the account")
    role = forms.ChoiceField(
        choices=Role.choices, widget=forms.RadioSelect, initial=Role.RESEARCHER
    )

    def clean_username(self) -> User:
        try:
            return find_account(self.cleaned_data["username"])
        except AccessRefused as error:
            raise forms.ValidationError(str(error)) from error
