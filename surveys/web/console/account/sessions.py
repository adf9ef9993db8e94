"""How the user's account signs in, and where it is signed in."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.template.defaultfilters import pluralize
from django.views.decorators.http import require_http_methods

from surveys.access.second_factor import has_second_factor
from surveys.access.sessions import end_sessions, list_sessions
from surveys.web.console.access import console_page, signed_in


@require_http_methods(["GET", "POST"])
@console_page
def account(request: HttpRequest) -> HttpResponse:
    """Show how the user's account signs in and its sessions; a POST ends one or all others."""
    user = signed_in(request)
    if request.method == "POST":
        n_ended = end_sessions(request, user, request.POST.get("session", ""))
        messages.success(request, f"{n_ended} session{pluralize(n_ended)} ended.")
        return redirect("console:account")
    sessions = list_sessions(request, user)
    page = {"has_second_factor": has_second_factor(user), "sessions": sessions}
    return render(request, "console/account/account.html", page)
