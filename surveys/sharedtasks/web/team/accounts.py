"""The pages of participants' accounts: sign-in, invitation, registration, password, tokens."""

from collections.abc import Callable
from typing import Any

from django.contrib import messages
from django.contrib.auth import login, update_session_auth_hash
from django.contrib.auth.models import User
from django.contrib.auth.views import LoginView
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from surveys.access.api_tokens import revoke_token
from surveys.access.audit_log import acting, record
from surveys.access.client_address import client_address
from surveys.access.known_browsers import remember_browser
from surveys.access.roles import is_limited
from surveys.models import ApiToken
from surveys.sharedtasks.models import SharedTask, SharedTaskState, TeamInvitation, TeamMember
from surveys.sharedtasks.teams.links import choose_password, find_link, join_team, join_with_account
from surveys.sharedtasks.teams.rates import limit_registrations
from surveys.sharedtasks.teams.registration import (
    register_team,
    register_with_account,
    takes_registrations,
)
from surveys.sharedtasks.web.access import participant_page, refuse_researcher, signed_in
from surveys.sharedtasks.web.team.account_forms import (
    NewAccountForm,
    ParticipantSignInForm,
    RegistrationForm,
    TermsForm,
)
from surveys.web.forms import attempt, posted, status_of
from surveys.web.rendering.markdown import render_markdown
from surveys.web.sign_in import BY_LINK, FirstPasswordForm, NewPasswordForm
from surveys.web.timing import began_at
from surveys.web.tokens import show_tokens

open_page = require_http_methods(["GET", "POST"])


class SignIn(LoginView):
    """The sign-in page of participants."""

    template_name = "sharedtasks/team/sign_in.html"
    authentication_form = ParticipantSignInForm

    def dispatch(self, request: HttpRequest, *given: Any, **arguments: Any) -> HttpResponseBase:
        if request.method == "GET" and is_limited(request.user):
            return redirect("sharedtasks:account")
        return super().dispatch(request, *given, **arguments)

    def get_default_redirect_url(self) -> str:
        return reverse("sharedtasks:account")


@participant_page("GET")
def account(request: HttpRequest) -> HttpResponse:
    """List the teams of a participant."""
    memberships = TeamMember.objects.filter(participant__user=signed_in(request)).exclude(
        shared_task__state=SharedTaskState.DRAFT
    )
    page = {"memberships": memberships.select_related("team", "shared_task").order_by("-pk")}
    return render(request, "sharedtasks/team/account.html", page)


@participant_page()
def change_password(request: HttpRequest) -> HttpResponse:
    """Let a participant change their password; their other sessions end."""
    user = signed_in(request)
    form = NewPasswordForm(user, posted(request))
    if form.is_valid():
        with transaction.atomic():
            form.save()
            record("account.password_changed", None, user.get_username())
        update_session_auth_hash(request, user)
        messages.success(request, "Your password is changed. Your other sessions have ended.")
        return redirect("sharedtasks:account")
    return render(request, "sharedtasks/team/password.html", {"form": form}, status=status_of(form))


@never_cache
@open_page
def invitation(request: HttpRequest, token: str) -> HttpResponseBase:
    """Show what a one-time link is for, and use it on a POST.

    Mail scanners follow links with GET requests, so a GET does not use up the link.
    """
    link = find_link(token, began_at(request))
    if link is None:
        return render(request, "sharedtasks/team/invalid_link.html", status=410)
    if link.participant is not None:
        return _choose_password(request, token, link)
    if is_limited(request.user):
        return _join(request, token, link)
    if request.user.is_authenticated:
        return refuse_researcher(request)
    return _join_with_account(request, token, link)


@never_cache
@open_page
def register(request: HttpRequest, slug: str) -> HttpResponseBase:
    """Let a team register itself; organisers accept it before it submits anything."""
    shared_task = get_object_or_404(SharedTask.objects.public(), slug=slug)
    if not takes_registrations(shared_task):
        raise Http404
    if request.user.is_authenticated and not is_limited(request.user):
        return refuse_researcher(request)
    is_known = request.user.is_authenticated
    form = RegistrationForm(posted(request))
    consent = (TermsForm if is_known else NewAccountForm)(posted(request), shared_task=shared_task)

    def act() -> None:
        limit_registrations(request.user, client_address(request))
        team, now = form.cleaned_data, began_at(request)
        given = (shared_task, team["name"], team["contact"])
        if is_known:
            with acting(request.user):
                register_team(*given, signed_in(request), now=now)
            return
        new = consent.cleaned_data
        made = register_with_account(*given, new["username"], new["password1"], now=now)
        _sign_in(request, made.participant.user)

    are_valid = [form.is_valid(), consent.is_valid()]  # both, so that all errors are shown
    if all(are_valid) and attempt(form, act):
        return redirect("sharedtasks:team", slug)
    page = {
        "shared_task": shared_task,
        "terms": render_markdown(shared_task.terms),
        "form": form,
        "consent": consent,
        "is_known": is_known,
    }
    return render(request, "sharedtasks/team/register.html", page, status=status_of(form, consent))


@participant_page()
def tokens(request: HttpRequest) -> HttpResponse:
    """List a participant's tokens; a POST creates one and alone shows its key."""
    return show_tokens(request, signed_in(request), "sharedtasks/team/tokens.html")


@participant_page()
def revoke_own_token(request: HttpRequest, token_id: int) -> HttpResponse:
    """Confirm (GET) or revoke (POST) one of a participant's own tokens."""
    token = get_object_or_404(ApiToken, pk=token_id, user=signed_in(request))
    if request.method == "GET":
        return render(request, "sharedtasks/team/revoke_token.html", {"token": token})
    revoke_token(token)
    messages.success(request, "The token is revoked.")
    return redirect("sharedtasks:tokens")


def _choose_password(request: HttpRequest, token: str, link: TeamInvitation) -> HttpResponse:
    user = link.participant.user  # type: ignore[union-attr]
    form = FirstPasswordForm(user, posted(request))

    def act() -> None:
        _sign_in(
            request,
            choose_password(token, form.cleaned_data["new_password1"], now=began_at(request)),
        )

    return _answer(request, link, form, act, {"account": user})


def _join(request: HttpRequest, token: str, link: TeamInvitation) -> HttpResponse:
    form = TermsForm(posted(request), shared_task=link.team.shared_task)

    def act() -> None:
        with acting(request.user):
            join_team(token, signed_in(request), now=began_at(request))

    return _answer(request, link, form, act)


def _join_with_account(request: HttpRequest, token: str, link: TeamInvitation) -> HttpResponse:
    form = NewAccountForm(posted(request), shared_task=link.team.shared_task)

    def act() -> None:
        new = form.cleaned_data
        member = join_with_account(token, new["username"], new["password1"], now=began_at(request))
        _sign_in(request, member.participant.user)

    return _answer(request, link, form, act)


def _answer(
    request: HttpRequest,
    link: TeamInvitation,
    form: Any,
    act: Callable[[], None],
    more: dict[str, object] | None = None,
) -> HttpResponse:
    if attempt(form, act):
        answer = redirect("sharedtasks:team", link.team.shared_task.slug)
        remember_browser(answer, signed_in(request))
        return answer
    shared_task = link.team.shared_task
    page = {
        "link": link,
        "shared_task": shared_task,
        "terms": render_markdown(shared_task.terms),
        "form": form,
        **(more or {}),
    }
    return render(request, "sharedtasks/team/invitation.html", page, status=status_of(form))


def _sign_in(request: HttpRequest, user: User) -> None:
    login(request, user, backend=BY_LINK)
