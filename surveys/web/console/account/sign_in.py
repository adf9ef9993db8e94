"""The sign-in pages of the console."""

from django.conf import settings
from django.contrib import messages
from django.contrib.auth import login, update_session_auth_hash
from django.contrib.auth.forms import AuthenticationForm
from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from surveys.access.audit_log import acting, record
from surveys.access.roles import is_limited
from surveys.access.sign_in_links import find_invited_account, find_linked_account, use_sign_in_link
from surveys.web.console.access import console_page, signed_in
from surveys.web.forms import status_of
from surveys.web.sign_in import BY_LINK, FirstPasswordForm, NewPasswordForm, finish_sign_in


class ResearcherSignInForm(AuthenticationForm):
    """Name and password of a researcher's account."""

    def confirm_login_allowed(self, user: User) -> None:
        super().confirm_login_allowed(user)
        if is_limited(user):
            raise ValidationError(
                "This account has no access to the console. Sign in on its own page."
            )


@never_cache
@require_http_methods(["GET", "POST"])
def sign_in_by_link(request: HttpRequest, user_id: int, token: str) -> HttpResponseBase:
    """Show the account of a sign-in link, and sign it in on a POST.

    Mail scanners follow links with GET requests, so a GET does not use up the link.
    """
    user = find_linked_account(user_id, token)
    if request.method == "POST" and user is not None:
        with transaction.atomic(), acting(user):
            user = use_sign_in_link(user_id, token)
            if user is not None:
                login(request, user, backend=BY_LINK)
        if user is not None:
            return finish_sign_in(request, redirect(settings.LOGIN_REDIRECT_URL))
    page = {"account": user}
    return render(request, "console/account/sign_in_link.html", page, status=200 if user else 410)


@never_cache
@require_http_methods(["GET", "POST"])
def choose_password(request: HttpRequest, token: str) -> HttpResponseBase:
    """Let an invited person choose the password of their account, and sign them in."""
    user = find_invited_account(token)
    if user is None:
        return render(request, "console/account/choose_password.html", {}, status=410)
    form = FirstPasswordForm(user, request.POST if request.method == "POST" else None)
    if form.is_valid():
        with transaction.atomic(), acting(user):
            form.save()
            record("account.password_chosen", None, user.get_username())
        login(request, user, backend=BY_LINK)
        return finish_sign_in(request, redirect(settings.LOGIN_REDIRECT_URL))
    page = {"account": user, "form": form}
    return render(request, "console/account/choose_password.html", page, status=status_of(form))


@console_page
def change_password(request: HttpRequest) -> HttpResponse:
    """Let a user change their own password; their other sessions end."""
    user = signed_in(request)
    form = NewPasswordForm(user, request.POST if request.method == "POST" else None)
    if form.is_valid():
        with transaction.atomic():
            form.save()
            record("account.password_changed", None, user.get_username())
        update_session_auth_hash(request, user)
        messages.success(request, "Your password is changed. Your other sessions have ended.")
        return redirect("console:studies")
    page = {"form": form}
    return render(request, "console/account/change_password.html", page, status=status_of(form))
