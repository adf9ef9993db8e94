"""How the user's account signs in, where it is signed in, and its e-mail address."""

from typing import Any

from django.conf import settings
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.template.defaultfilters import pluralize
from django.views.decorators.http import require_http_methods

from surveys.access.account_addresses import change_address
from surveys.access.second_factor import has_second_factor
from surveys.access.sessions import end_sessions, list_sessions
from surveys.web.console.access import console_page, signed_in
from surveys.web.console.account.password_reset import AddressForm
from surveys.web.forms import posted, status_of
from surveys.web.sign_in import OldPasswordForm


class OwnAddressForm(OldPasswordForm, AddressForm):
    """The password of an account, and its new address."""

    def __init__(self, *given: Any, **more: Any) -> None:
        super().__init__(*given, **more)
        self.fields["email"].required = False
        self.fields[
            "email"
        ].help_text = "A link to choose a new password is sent to it on request. Empty for none."


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
    page = {
        "has_second_factor": has_second_factor(user),
        "sessions": sessions,
        "changes_address": not settings.OIDC_ISSUER,
    }
    return render(request, "console/account/account.html", page)


@require_http_methods(["GET", "POST"])
@console_page
def address(request: HttpRequest) -> HttpResponse:
    """Show and change the e-mail address of the user's account."""
    if settings.OIDC_ISSUER:  # it would choose whom the provider signs in as this account
        raise Http404
    user = signed_in(request)
    form = OwnAddressForm(user, posted(request), initial={"email": user.email})
    if form.is_valid():
        change_address(user, form.cleaned_data["email"])
        messages.success(request, "Your e-mail address is changed.")
        return redirect("console:account")
    return render(request, "console/account/address.html", {"form": form}, status=status_of(form))
