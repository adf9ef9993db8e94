"""A new password by e-mail: the request, and the page of the link."""

from dataclasses import asdict

from django import forms
from django.conf import settings
from django.contrib.auth import login
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from surveys.access.account_addresses import ResetRequest
from surveys.access.audit_log import acting, record
from surveys.access.client_address import client_address
from surveys.access.sign_in_limits import budgets_of_resets, take_check
from surveys.access.sign_in_links import find_linked_account, use_sign_in_link
from surveys.jobs.queue import enqueue
from surveys.operations.mail_server import sends_mail
from surveys.web.forms import posted, status_of
from surveys.web.sign_in import (
    BY_LINK,
    FirstPasswordForm,
    finish_sign_in,
    refuse_sign_in,
)


class AddressForm(forms.Form):
    """The e-mail address of an account."""

    email = forms.EmailField(
        label="E-mail address", max_length=254, widget=forms.EmailInput({"autocomplete": "email"})
    )


@never_cache
@require_http_methods(["GET", "POST"])
def request_reset(request: HttpRequest) -> HttpResponse:
    """Take a request for a link; the answer is the same with and without such an account."""
    if not sends_mail():
        raise Http404
    form = AddressForm(posted(request))
    is_sent = form.is_valid()
    if is_sent:
        if wait := take_check(budgets_of_resets(client_address(request))):
            return refuse_sign_in(request, wait)
        enqueue("accounts.reset", asdict(ResetRequest(form.cleaned_data["email"])))
    page = {"form": form, "is_sent": is_sent}
    return render(request, "console/account/request_reset.html", page, status=status_of(form))


@never_cache
@require_http_methods(["GET", "POST"])
def reset_password(request: HttpRequest, user_id: int, token: str) -> HttpResponseBase:
    """Choose a new password by a link, and sign in; a second factor is asked for all the same."""
    user = find_linked_account(user_id, token)
    if user is None:
        return render(request, "console/account/sign_in_link.html", {}, status=410)
    form = FirstPasswordForm(user, posted(request))
    if form.is_valid():
        with transaction.atomic(), acting(user):
            if use_sign_in_link(user_id, token) is None:  # another tab was faster
                return redirect(request.path)
            form.save()
            record("account.password_chosen", None, user.get_username())
        login(request, user, backend=BY_LINK)
        return finish_sign_in(request, redirect(settings.LOGIN_REDIRECT_URL))
    page = {"account": user, "form": form}
    return render(request, "console/account/reset_password.html", page, status=status_of(form))
