"""Access to the pages of teams: an account of a participant, and a place in a team."""

from collections.abc import Callable
from functools import wraps
from typing import cast

from django.contrib.auth.models import User
from django.contrib.auth.views import redirect_to_login
from django.http import Http404, HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from surveys.access.audit_log import acting
from surveys.access.roles import is_limited
from surveys.sharedtasks.teams.members import find_membership

Page = Callable[..., HttpResponseBase]


def signed_in(request: HttpRequest) -> User:
    """Return the user of a request that a decorator below has let through."""
    return cast("User", request.user)


def public_page(view: Page) -> Page:
    """Let caches keep a visitor's page for a minute, and never a page of a signed-in person.

    Organisers and teams see more at the same address; "back" must not show it after a sign-out.
    """

    @wraps(view)
    def answer(request: HttpRequest, **arguments: object) -> HttpResponseBase:
        response = view(request, **arguments)
        is_same_for_all = request.session.is_empty() and not request.user.is_authenticated
        if not response.has_header("Cache-Control"):
            policy = "public, max-age=60" if is_same_for_all else "private, no-store"
            response["Cache-Control"] = policy
        return response

    return answer


def participant_page(*methods: str) -> Callable[[Page], Page]:
    """Require an account of a participant, and log the actions of a view under its name.

    The page takes GET and POST unless methods are given. Without a sign-in the answer is the
    sign-in page; researchers are refused.
    """

    def decorate(view: Page) -> Page:
        @require_http_methods(methods or ("GET", "POST"))
        @never_cache
        @wraps(view)
        def answer(request: HttpRequest, **arguments: object) -> HttpResponseBase:
            if not request.user.is_authenticated:
                return redirect_to_login(request.get_full_path(), reverse("sharedtasks:sign_in"))
            if not is_limited(request.user):
                return refuse_researcher(request)
            with acting(request.user):
                return view(request, **arguments)

        return answer

    return decorate


def team_page(*methods: str) -> Callable[[Page], Page]:
    """Require a place in a team of the shared task in the URL, and pass the membership on.

    The answer is 404 for all others, also in a draft, so that it does not reveal which teams exist.
    """

    def decorate(view: Page) -> Page:
        @participant_page(*methods)
        @wraps(view)
        def answer(request: HttpRequest, *, slug: str, **arguments: object) -> HttpResponseBase:
            member = find_membership(slug, request.user)
            if member is None:
                raise Http404
            return view(request, member, **arguments)

        return answer

    return decorate


def refuse_researcher(request: HttpRequest) -> HttpResponseBase:
    """Answer 403 with a page that tells researchers where they work."""
    return render(request, "sharedtasks/for_participants.html", status=403)
