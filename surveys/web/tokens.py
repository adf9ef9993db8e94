"""What researchers' and participants' pages of API tokens share."""

from datetime import datetime, time
from typing import Any

from django import forms
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone

from surveys.access.api_tokens import MAX_NAME_LENGTH, list_scopes, make_token, own_tokens
from surveys.web.forms import attempt, posted, status_of

MOST_SHOWN = 100


class TokenForm(forms.Form):
    """The purpose, scopes and last day of a new token."""

    name = forms.CharField(max_length=MAX_NAME_LENGTH, label="Purpose")
    scopes = forms.MultipleChoiceField(widget=forms.CheckboxSelectMultiple, label="Scopes")
    last_day = forms.DateField(
        required=False,
        label="Last day",
        help_text="As 2027-12-31; empty for no end.",
        widget=forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d"),
    )

    def __init__(self, user: User, *given: Any, **more: Any) -> None:
        super().__init__(*given, **more)
        offered = list_scopes(user).items()
        self.fields["scopes"].choices = [  # type: ignore[attr-defined]
            (scope, f"{scope}: {meaning}") for scope, meaning in offered
        ]

    def expires_at(self) -> datetime | None:
        """Return the end of the last day, in UTC."""
        last = self.cleaned_data["last_day"]
        return timezone.make_aware(datetime.combine(last, time.max)) if last else None


def show_tokens(request: HttpRequest, user: User, template: str) -> HttpResponse:
    """List a user's tokens; a POST creates one and alone shows its key.

    `?scopes=read` and `?scopes=all` tick scopes.
    """
    offered = [*list_scopes(user)]
    reading = [scope for scope in offered if scope.endswith(":read")]
    ticked = {"read": reading, "all": offered}.get(request.GET.get("scopes", ""), [])
    form = TokenForm(user, posted(request), initial={"scopes": ticked})
    key = ""

    def make() -> None:
        nonlocal key
        _, key = make_token(
            user,
            form.cleaned_data["name"],
            form.cleaned_data["scopes"],
            expires_at=form.expires_at(),
        )

    if attempt(form, make):
        form = TokenForm(user)
    tokens = own_tokens(user)[:MOST_SHOWN]
    page = {"tokens": tokens, "form": form, "key": key, "now": timezone.now()}
    return render(request, template, page, status=status_of(form))
