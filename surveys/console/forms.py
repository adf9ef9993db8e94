from collections.abc import Callable
from typing import Any

from django import forms
from django.contrib.auth.models import User

from surveys.accessing import find_account
from surveys.errors import AccessRefused, SurveyError
from surveys.models import Role


def attempt(form: forms.Form, action: Callable[[], Any]) -> bool:
    """Do what a valid form asks for. False where the form was wrong or the action refuses it.

    What is refused stands over the form, a line each.
    """
    if not form.is_valid():
        return False
    try:
        action()
    except SurveyError as error:
        for line in str(error).splitlines():
            form.add_error(None, line)
        return False
    return True


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
