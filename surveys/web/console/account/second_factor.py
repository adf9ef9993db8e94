"""The second factor of the user's account, and the page that asks for it at a sign-in."""

from base64 import b32encode
from typing import Any

import segno
from django import forms
from django.conf import settings
from django.contrib import messages
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from surveys.access.second_factor import (
    KEY_BYTES,
    add_second_factor,
    count_recovery_codes,
    has_second_factor,
    make_device,
    make_key,
    remove_second_factor,
    renew_recovery_codes,
)
from surveys.web.console.access import console_page, signed_in
from surveys.web.forms import attempt, posted, status_of
from surveys.web.sign_in import OldPasswordForm, check_code, find_pending

PAGE = "console/account/second_factor.html"


class CodeForm(forms.Form):
    """A code of the app, or a recovery code."""

    code = forms.CharField(
        max_length=20,
        widget=forms.TextInput(
            {"autocomplete": "one-time-code", "autocapitalize": "none", "spellcheck": "false"}
        ),
    )


class AppForm(CodeForm, OldPasswordForm):
    """The first code of an app, with the key that the page gave to it."""

    key = forms.RegexField(rf"^[0-9a-f]{{{2 * KEY_BYTES}}}\Z", widget=forms.HiddenInput)
    field_order = ("old_password", "code", "key")


@require_http_methods(["GET", "POST"])
@console_page
def second_factor(request: HttpRequest) -> HttpResponse:
    """Add a second factor, or remove it or its recovery codes; a POST alone shows new codes."""
    user = signed_in(request)
    return (_change if has_second_factor(user) else _add)(request, user)


@never_cache
@require_http_methods(["GET", "POST"])
def enter_code(request: HttpRequest) -> HttpResponseBase:
    """Ask for the second factor after a correct password."""
    user = find_pending(request)
    if user is None:
        return redirect(settings.LOGIN_URL)
    form = CodeForm(posted(request))
    if form.is_valid():
        if answer := check_code(request, user, form.cleaned_data["code"]):
            return answer
        form.add_error("code", "This code is wrong, too old or already used.")
    page = {"form": form}
    return render(request, "console/account/enter_code.html", page, status=status_of(form))


def _add(request: HttpRequest, user: User) -> HttpResponse:
    sent = posted(request)
    form = AppForm(user, sent, initial={"key": make_key()})
    codes: list[str] = []

    def act() -> None:
        given = form.cleaned_data
        codes.extend(add_second_factor(user, given["key"], given["code"]))

    if attempt(form, act):
        return _show(request, user, codes=codes, form=OldPasswordForm(user))
    if "key" in form.errors:  # not as the page gave it
        return redirect("console:second_factor")
    device = make_device(user, form["key"].value())
    key = b32encode(device.bin_key).decode()
    return _show(
        request,
        user,
        form=form,
        picture=segno.make(device.config_url).svg_data_uri(scale=4, light="white"),
        key=" ".join(key[start : start + 4] for start in range(0, len(key), 4)),
    )


def _change(request: HttpRequest, user: User) -> HttpResponse:
    form = OldPasswordForm(user, posted(request))
    if not form.is_valid():
        return _show(request, user, form=form)
    if request.POST.get("what") == "remove":
        remove_second_factor(user)
        messages.success(request, "Your second factor is removed.")
        return redirect("console:second_factor")
    codes = renew_recovery_codes(user)
    return _show(request, user, codes=codes, form=OldPasswordForm(user))


def _show(request: HttpRequest, user: User, *, form: forms.Form, **more: Any) -> HttpResponse:
    page = {"form": form, "n_codes": count_recovery_codes(user), **more}
    return render(request, PAGE, page, status=status_of(form))
