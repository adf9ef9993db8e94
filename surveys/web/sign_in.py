"""The limits before each check, the second factor, and forms of passwords, for all sign-ins."""

import logging
import math
from collections.abc import Callable
from functools import wraps
from typing import Any, cast
from unicodedata import normalize

from axes.handlers.proxy import AxesProxyHandler
from axes.models import AccessAttempt
from django.conf import settings
from django.contrib.auth import login
from django.contrib.auth.forms import PasswordChangeForm, SetPasswordForm
from django.contrib.auth.models import AnonymousUser, User
from django.core.exceptions import ValidationError
from django.core.validators import MaxLengthValidator
from django.db.models import Max
from django.forms import BaseForm, Form
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.crypto import constant_time_compare

from surveys.access.client_address import client_address
from surveys.access.known_browsers import find_browser, remember_browser
from surveys.access.roles import read_username
from surveys.access.second_factor import has_second_factor, use_code
from surveys.access.sign_in_limits import (
    BROWSER_LIMIT,
    BUSY_SECONDS,
    PATIENCE,
    Budgets,
    budgets_of,
    budgets_of_codes,
    checking_alone,
    find_exhausted,
    return_check,
    take_check,
)
from surveys.features import find_area

BY_LINK = "django.contrib.auth.backends.ModelBackend"  # the backend of sign-ins without a password
log = logging.getLogger(__name__)
PENDING = "second_factor"  # key of a session that has passed all but the second factor
PENDING_SECONDS = 600
View = Callable[..., HttpResponseBase]
LONGEST_PASSWORD = 1000  # hashing a megabyte would take long


class FirstPasswordForm(SetPasswordForm):  # type: ignore[type-arg]
    """The password of an account that has none yet."""

    def __init__(self, *given: Any, **more: Any) -> None:
        super().__init__(*given, **more)
        limit_passwords(self)


class NewPasswordForm(PasswordChangeForm):
    """The old password of an account, and a new one."""

    def __init__(self, *given: Any, **more: Any) -> None:
        super().__init__(*given, **more)
        limit_passwords(self)

    def clean_old_password(self) -> str:
        take_password_check(self.user)
        return super().clean_old_password()


class OldPasswordForm(Form):
    """The password of an account, before its sign-in is changed."""

    old_password = PasswordChangeForm.base_fields["old_password"]

    def __init__(self, user: User, *given: Any, **more: Any) -> None:
        super().__init__(*given, **more)
        self.user = user
        self.fields["old_password"].label = "Your password"
        self.fields["old_password"].widget.attrs["autofocus"] = False
        limit_passwords(self)

    def clean_old_password(self) -> str:
        password: str = self.cleaned_data["old_password"]
        take_password_check(self.user)
        if not self.user.check_password(password):
            raise ValidationError("This is not your password.")
        return password


def take_password_check(user: User) -> None:
    """Limit checks of a signed-in account's password like sign-ins from a known browser."""
    if wait := take_check({f"account {user.pk}": BROWSER_LIMIT}):
        raise ValidationError(
            f"Too many passwords were checked. Try again in {math.ceil(wait / 60)} minutes."
        )


def limit_passwords(form: BaseForm) -> None:
    """Bound the length of all fields in a password form."""
    for field in form.fields.values():
        field.validators.append(MaxLengthValidator(LONGEST_PASSWORD))


def limit_sign_ins(view: View) -> View:
    """Refuse a sign-in form before its password is checked if a limit is reached.

    A browser in which the account has signed in before is subject neither to the lock of the name
    nor to the limits of other clients. A successful check does not count against the limits.
    """

    @wraps(view)
    def answer(request: HttpRequest, **arguments: object) -> HttpResponseBase:
        if request.method != "POST":
            return view(request, **arguments)
        name = normalize("NFKC", read_username(request).strip())  # as the form reads it
        browser, address = find_browser(request, name), client_address(request)
        if not browser and (wait := _wait_for_lock(request, name)):
            return refuse_sign_in(request, wait)
        budgets = budgets_of(address, browser)
        with checking_alone(patience=PATIENCE if browser else 0) as is_alone:
            wait = take_check(budgets) if is_alone else BUSY_SECONDS
            if wait:
                return refuse_sign_in(request, wait)
            response = view(request, **arguments)
        if request.user.is_authenticated and response.status_code == 302:
            return_check(budgets)
            return finish_sign_in(request, response, browser)
        _log_failure(request, name, budgets)
        return response

    return answer


def finish_sign_in(
    request: HttpRequest, response: HttpResponseBase, browser: str = ""
) -> HttpResponseBase:
    """Remember the browser of an account that has just signed in, and return the response.

    An account with a second factor is signed out again and asked for a code first.
    """
    user = cast("User", request.user)
    if not has_second_factor(user):
        remember_browser(response, user, browser)
        return response
    request.session.flush()
    request.user = AnonymousUser()
    request.session[PENDING] = {
        "user": user.pk,
        "password": user.get_session_auth_hash(),
        "next": response["Location"],
        "until": timezone.now().timestamp() + PENDING_SECONDS,
    }
    return redirect("console:second_factor_code")


def find_pending(request: HttpRequest) -> User | None:
    """Return the account whose second factor a session still owes, or None."""
    pending = request.session.get(PENDING)
    if not pending or pending["until"] < timezone.now().timestamp():
        return None
    user = User.objects.filter(pk=pending["user"], is_active=True).first()
    is_current = user and constant_time_compare(pending["password"], user.get_session_auth_hash())
    return user if is_current else None


def check_code(request: HttpRequest, user: User, code: str) -> HttpResponseBase | None:
    """Sign the account of `find_pending` in if a code is right; None if it is wrong."""
    browser = find_browser(request, user.get_username())
    budgets = budgets_of_codes(user.pk, browser)
    if wait := take_check(budgets):
        return refuse_sign_in(request, wait)
    if not use_code(user, code):
        address, name = client_address(request), user.get_username()
        log.warning("A second factor from %s to account %s was wrong", address, name)
        return None
    return_check(budgets)
    response = redirect(request.session[PENDING]["next"])
    request.session.flush()
    login(request, user, backend=BY_LINK)
    remember_browser(response, user, browser)
    return response


def answer_locked(
    request: HttpRequest, original: HttpResponse, credentials: dict[str, str] | None = None
) -> HttpResponse:
    """Answer the attempt that locks a name for its address; called by django-axes."""
    return refuse_sign_in(request, _wait_for_lock(request, read_username(request, credentials)))


def refuse_sign_in(request: HttpRequest, wait: int) -> HttpResponse:
    """Answer 429 with the seconds to wait."""
    request.refusal = "TooManySignIns"  # type: ignore[attr-defined]
    area = find_area(request.path_info)
    folders = area.templates if area else ("console",)  # at the admin
    page = {
        "base": f"{folders[-1]}/_base.html",
        "minutes": math.ceil(wait / 60),
        "seconds": wait,
    }
    names = [f"{folder}/locked.html" for folder in folders]
    answer = render(request, names, page, status=429)
    answer["Retry-After"] = str(max(wait, 1))
    return answer


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
