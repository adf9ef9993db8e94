"""Forms of participants' accounts: sign-in, a new account, terms, the registration of a team."""

from typing import Any

from django import forms
from django.contrib.auth.forms import AuthenticationForm, BaseUserCreationForm
from django.contrib.auth.models import User
from django.core.exceptions import ValidationError

from surveys.access.roles import is_limited
from surveys.sharedtasks.errors import TeamRefused
from surveys.sharedtasks.models import SharedTask
from surveys.sharedtasks.teams.names import LONGEST, read_team_name
from surveys.web.sign_in import limit_passwords

ACCOUNT_NAME = "Name of your account"


class ParticipantSignInForm(AuthenticationForm):
    """Name and password of a participant's account."""

    def __init__(self, *given: Any, **more: Any) -> None:
        super().__init__(*given, **more)
        self.fields["username"].label = ACCOUNT_NAME

    def confirm_login_allowed(self, user: User) -> None:
        super().confirm_login_allowed(user)
        if not is_limited(user):
            raise ValidationError(
                "This account belongs to a researcher. Sign in to the console instead."
            )


class TermsForm(forms.Form):
    """Consent to the terms of a shared task, if it has any."""

    def __init__(self, *given: Any, shared_task: SharedTask, **more: Any) -> None:
        super().__init__(*given, **more)
        add_terms(self, shared_task)


class NewAccountForm(BaseUserCreationForm):  # type: ignore[type-arg]
    """Name and password of a new account, and consent to the terms."""

    class Meta(BaseUserCreationForm.Meta):
        labels = {"username": ACCOUNT_NAME}
        help_texts = {
            "username": "You sign in with it. Only your team and the organisers see it. Letters, "
            "digits and @ . + - _"
        }

    def __init__(self, *given: Any, shared_task: SharedTask, **more: Any) -> None:
        super().__init__(*given, **more)
        limit_passwords(self)
        self.fields["username"].widget.attrs |= {"autocomplete": "username", "autofocus": False}
        add_terms(self, shared_task)


class RegistrationForm(forms.Form):
    """The name of a new team, and how the organisers reach it."""

    name = forms.CharField(
        max_length=LONGEST,
        label="Name of the team",
        help_text="2 to 40 characters. Boards show it, unless the team chooses a code.",
    )
    contact = forms.CharField(
        max_length=200,
        label="Contact",
        help_text="Name, institution and e-mail address, for the organisers alone.",
    )

    def clean_name(self) -> str:
        try:
            return read_team_name(self.cleaned_data["name"])
        except TeamRefused as error:
            raise ValidationError(str(error)) from error


def add_terms(form: forms.BaseForm, shared_task: SharedTask) -> None:
    """Add a box for consent to the terms to a form, if the shared task has terms."""
    if shared_task.terms:
        form.fields["accepts"] = forms.BooleanField(
            label="I have read the terms and accept them",
            error_messages={"required": "Accept the terms to go on."},
        )
