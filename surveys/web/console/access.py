"""Who reaches a page of the console: whoever is signed in and has the right in the study."""

from collections.abc import Callable
from functools import wraps
from typing import cast

from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest
from django.http.response import HttpResponseBase
from django.views.decorators.cache import never_cache

from surveys.access.audit_log import acting
from surveys.access.roles import Right, role_in
from surveys.models import Study

Page = Callable[..., HttpResponseBase]


def signed_in(request: HttpRequest) -> User:
    """Whoever asked for a page of the console."""
    return cast("User", request.user)


def is_owner(request: HttpRequest) -> bool:
    """Whether a page of a study may show who people are."""
    return request.role in Right.OWN.value  # type: ignore[attr-defined]


def console_page(view: Page) -> Page:
    """A page for whoever is signed in; what it does is recorded as theirs."""

    @never_cache
    @login_required
    @wraps(view)
    def answer(request: HttpRequest, **found: object) -> HttpResponseBase:
        with acting(request.user):
            return view(request, **found)

    return answer


def study_page(right: Right) -> Callable[[Page], Page]:
    """A page of a study, whose slug the address has; the view is given the study itself.

    Not found for whoever has no role in it, so that nobody learns of it; refused for a role
    without the right. `request.role` is the role.
    """

    def decorate(view: Page) -> Page:
        @console_page
        @wraps(view)
        def answer(request: HttpRequest, *, slug: str, **found: object) -> HttpResponseBase:
            study = Study.objects.filter(slug=slug).first()
            role = role_in(study, request.user) if study else None
            if study is None or role is None:
                raise Http404
            if role not in right.value:
                raise PermissionDenied
            request.role = role  # type: ignore[attr-defined]
            return view(request, study, **found)

        return answer

    return decorate
