"""API tokens of a participant, with which programs submit for their teams."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render

from surveys.access.api_tokens import revoke_token
from surveys.models import ApiToken
from surveys.sharedtasks.web.access import participant_page, signed_in
from surveys.web.tokens import show_tokens


@participant_page()
def tokens(request: HttpRequest) -> HttpResponse:
    """List a participant's tokens; a POST creates one and alone shows its key."""
    return show_tokens(request, signed_in(request), "sharedtasks/team/tokens.html")


@participant_page()
def revoke(request: HttpRequest, token_id: int) -> HttpResponse:
    """Confirm (GET) or revoke (POST) one of a participant's own tokens."""
    token = get_object_or_404(ApiToken, pk=token_id, user=signed_in(request))
    if request.method == "GET":
        return render(request, "sharedtasks/team/revoke_token.html", {"token": token})
    revoke_token(token)
    messages.success(request, "The token is revoked.")
    return redirect("sharedtasks:tokens")
