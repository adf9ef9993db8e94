"""The sign-in pages of the console and the admin, and the limits before each password check."""

import logging
import math
from collections.abc import Callable
from functools import wraps
from typing import Any
from unicodedata import normalize

from axes.handlers.proxy import AxesProxyHandler
from axes.models import AccessAttempt
from django.conf import settings
from django.contrib import messages
from django.contrib.auth import login, update_session_auth_hash
from django.contrib.auth.forms import PasswordChangeForm, SetPasswordForm
from django.contrib.auth.models import User
from django.core.validators import MaxLengthValidator
from django.db import transaction
from django.db.models import Max
from django.forms import Form
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from surveys.access.audit_log import acting, record
from surveys.access.client_address import client_address
from surveys.access.known_browsers import find_browser, remember_browser
from surveys.access.roles import read_username
from surveys.access.sign_in_limits import (
    BUSY_SECONDS,
    PATIENCE,
    Budgets,
    budgets_of,
    checking_alone,
    find_exhausted,
    return_check,
    take_check,
)
from surveys.access.sign_in_links import (
    find_invited_account,
    find_linked_account,
    use_sign_in_link,
)
from surveys.web.console.access import console_page, signed_in
from surveys.web.console.forms import status_of

LINK_BACKEND = "django.contrib.auth.backends.ModelBackend"
log = logging.getLogger(__name__)
View = Callable[..., HttpResponseBase]
LONGEST_PASSWORD = 1000  # hashing a megabyte would take long


class FirstPasswordForm(SetPasswordForm):  # type: ignore[type-arg]
    """The password of an account that has none yet."""

    def __init__(self, *given: Any, **more: Any) -> None:
        super().__init__(*given, **more)
        _limit_passwords(self)


class NewPasswordForm(PasswordChangeForm):
    """The old password of an account, and a new one."""

    def __init__(self, *given: Any, **more: Any) -> None:
        super().__init__(*given, **more)
        _limit_passwords(self)


def _limit_passwords(form: Form) -> None:
    for field in form.fields.values():
        field.validators.append(MaxLengthValidator(LONGEST_PASSWORD))


def limit_sign_ins(view: View) -> View:
    """Refuse a sign-in form before its password is checked if a limit is reached.

    A browser in which the account has signed in before is subject neither to the lock of the name
    nor to the limits of other clients. A successful check does not count against the limits.
    """

    @wraps(view)
    def answer(request: HttpRequest, **found: object) -> HttpResponseBase:
        if request.method != "POST":
            return view(request, **found)
        name = normalize("NFKC", read_username(request).strip())  # as the form reads it
        browser, address = find_browser(request, name), client_address(request)
        if not browser and (wait := _wait_for_lock(request, name)):
            return refuse_sign_in(request, wait)
        budgets = budgets_of(address, browser)
        with checking_alone(patience=PATIENCE if browser else 0) as is_alone:
            wait = take_check(budgets) if is_alone else BUSY_SECONDS
            if wait:
                return refuse_sign_in(request, wait)
            response = view(request, **found)
        if request.user.is_authenticated and response.status_code == 302:
            return_check(budgets)
            remember_browser(response, request.user, browser)
        else:
            _log_failure(request, name, budgets)
        return response

    return answer


def answer_locked(
    request: HttpRequest, original: HttpResponse, credentials: dict[str, str] | None = None
) -> HttpResponse:
    """Answer the attempt that locks a name for its address; called by django-axes."""
    return refuse_sign_in(request, _wait_for_lock(request, read_username(request, credentials)))


def refuse_sign_in(request: HttpRequest, wait: int) -> HttpResponse:
    """Answer 429 with the seconds to wait."""
    page = {"minutes": math.ceil(wait / 60), "seconds": wait}
    answer = render(request, "console/account/locked.html", page, status=429)
    answer["Retry-After"] = str(max(wait, 1))
    return answer


@never_cache
@require_http_methods(["GET", "POST"])
def sign_in_by_link(request: HttpRequest, user_id: int, token: str) -> HttpResponse:
    """Show the account of a sign-in link, and sign it in on a POST.

    Mail scanners follow links with GET requests, so a GET does not use up the link.
    """
    user = find_linked_account(user_id, token)
    if request.method == "POST" and user is not None:
        with transaction.atomic(), acting(user):
            user = use_sign_in_link(user_id, token)
            if user is not None:
                login(request, user, backend=LINK_BACKEND)
        if user is not None:
            response = redirect(settings.LOGIN_REDIRECT_URL)
            remember_browser(response, user)
            return response
    page = {"account": user}
    return render(request, "console/account/sign_in_link.html", page, status=200 if user else 410)


@never_cache
@require_http_methods(["GET", "POST"])
def choose_password(request: HttpRequest, token: str) -> HttpResponse:
    """Let an invited person choose the password of their account, and sign them in."""
    user = find_invited_account(token)
    if user is None:
        return render(request, "console/account/choose_password.html", {}, status=410)
    form = FirstPasswordForm(user, request.POST if request.method == "POST" else None)
    if form.is_valid():
        with transaction.atomic(), acting(user):
            form.save()
            record("account.password_chosen", None, user.get_username())
        login(request, user, backend=LINK_BACKEND)
        response = redirect(settings.LOGIN_REDIRECT_URL)
        remember_browser(response, user)
        return response
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


def _wait_for_lock(request: HttpRequest, name: str) -> int:
    """Return for how many seconds a name is locked for this address; 0 if it is not."""
    if AxesProxyHandler.is_allowed(request, {"username": name}):
        return 0
    tries = AccessAttempt.objects.filter(username=name, ip_address=client_address(request))
    last = tries.aggregate(last=Max("attempt_time"))["last"] or timezone.now()
    left = last + settings.AXES_COOLOFF_TIME - timezone.now()
    return max(1, math.ceil(left.total_seconds()))


def _log_failure(request: HttpRequest, name: str, budgets: Budgets) -> None:
    """Log the address of a failed sign-in, and the locks and limits that it reached.

    The name is logged only if it is that of an account: people type passwords into the wrong field.
    At most one line per checked password is written.
    """
    account = User.objects.filter(username=name).first()
    target = f"account {account.get_username()}" if account else "a name without an account"
    log.warning("A sign-in from %s to %s failed", client_address(request), target)
    if getattr(request, "axes_locked_out", False):
        log.warning("Sign-ins to %s from %s are now refused", target, client_address(request))
    for key in find_exhausted(budgets):
        log.warning("Sign-ins are now refused for a while: no password checks left for %s", key)
