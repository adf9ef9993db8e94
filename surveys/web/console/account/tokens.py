"""API tokens of the user."""

from datetime import datetime, time

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_http_methods

from surveys.access.api_tokens import MAX_NAME_LENGTH, SCOPES, make_token, revoke_token
from surveys.models import ApiToken
from surveys.templatetags.dates import day
from surveys.web.console.access import console_page, signed_in
from surveys.web.console.confirmation import ask_first
from surveys.web.forms import attempt, posted, status_of

MOST_SHOWN = 100


READING = [scope for scope in SCOPES if scope.endswith(":read")]
CHOICES = {"read": READING, "all": list(SCOPES)}  # that a link ticks


class TokenForm(forms.Form):
    """The purpose, scopes and last day of a new token."""

    name = forms.CharField(max_length=MAX_NAME_LENGTH, label="Purpose")
    scopes = forms.MultipleChoiceField(
        choices=[(scope, f"{scope}: {meaning}") for scope, meaning in SCOPES.items()],
        widget=forms.CheckboxSelectMultiple,
        label="Scopes",
    )
    last_day = forms.DateField(
        required=False,
        label="Last day",
        help_text="As 2027-12-31; empty for no end.",
        widget=forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d"),
    )

    def expires_at(self) -> datetime | None:
        """Return the end of the last day, in UTC."""
        last = self.cleaned_data["last_day"]
        return timezone.make_aware(datetime.combine(last, time.max)) if last else None


@require_http_methods(["GET", "POST"])
@console_page
def tokens(request: HttpRequest) -> HttpResponse:
    """List the user's tokens; a POST creates one and alone shows its key."""
    ticked = CHOICES.get(request.GET.get("scopes", ""), [])
    form = TokenForm(posted(request), initial={"scopes": ticked})
    key = ""

    def make() -> None:
        nonlocal key
        _, key = make_token(
            signed_in(request),
            form.cleaned_data["name"],
            form.cleaned_data["scopes"],
            expires_at=form.expires_at(),
        )

    if attempt(form, make):
        form = TokenForm()
    found = ApiToken.objects.filter(user=signed_in(request), revoked_at=None)
    page = {"tokens": found[:MOST_SHOWN], "form": form, "key": key, "now": timezone.now()}
    return render(request, "console/account/tokens.html", page, status=status_of(form))


@require_http_methods(["GET", "POST"])
@console_page
def revoke(request: HttpRequest, token_id: int) -> HttpResponse:
    """Confirm (GET) or revoke (POST) one of the user's own tokens."""
    token = get_object_or_404(ApiToken, pk=token_id, user=signed_in(request))
    if request.method == "GET":
        used = token.last_used_at
        return ask_first(
            request,
            title=f"Revoke the token {token.name}",
            text=f"Last used: {f'{day(used)}' if used else 'never'}.\n\nPrograms that use it "
            "will be refused. This cannot be undone; you can create another token.",
            button="Revoke the token",
            back=reverse("console:tokens"),
        )
    revoke_token(token)
    messages.success(request, "The token is revoked.")
    return redirect("console:tokens")
