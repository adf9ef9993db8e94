"""API tokens of the user."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from surveys.access.api_tokens import revoke_token
from surveys.models import ApiToken
from surveys.templatetags.dates import day
from surveys.web.console.access import console_page, signed_in
from surveys.web.console.confirmation import ask_first
from surveys.web.tokens import show_tokens


@require_http_methods(["GET", "POST"])
@console_page
def tokens(request: HttpRequest) -> HttpResponse:
    """List the user's tokens; a POST creates one and alone shows its key."""
    return show_tokens(request, signed_in(request), "console/account/tokens.html")


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
