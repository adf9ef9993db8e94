"""Access to the pages of the console: sign-in, and a right in the study."""

from collections.abc import Callable
from functools import cache, partial, wraps
from http import HTTPStatus
from typing import cast

from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import User
from django.contrib.auth.views import redirect_to_login
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest
from django.http.response import HttpResponseBase
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from surveys.access.audit_log import acting
from surveys.access.roles import VISITOR, Right, is_demonstration, name_rights, role_of_reader
from surveys.models import Study
from surveys.monitoring.checklist import forget_steps
from surveys.web.console.menu import make_menu

Page = Callable[..., HttpResponseBase]


def signed_in(request: HttpRequest) -> User:
    """Return the user of a request that a decorator below has let through."""
    return cast("User", request.user)


def role_of(request: HttpRequest) -> str:
    """Return the user's role in the study of a request that `study_page` has let through."""
    return request.role  # type: ignore[attr-defined,no-any-return]


def is_visitor(request: HttpRequest) -> bool:
    """Return whether the user only looks at a demonstration study."""
    return role_of(request) == VISITOR


def is_owner(request: HttpRequest) -> bool:
    """Return whether the user may see data that identifies annotators of the study."""
    return request.role in Right.OWN.value  # type: ignore[attr-defined]


def console_page(view: Page) -> Page:
    """Require a sign-in, and log the actions of a view under the user's name."""

    @never_cache
    @login_required
    @wraps(view)
    def answer(request: HttpRequest, **arguments: object) -> HttpResponseBase:
        with acting(request.user):
            return view(request, **arguments)

    return answer


def study_page(
    right: Right, *methods: str, also: Right | None = None, is_harmless: bool = False
) -> Callable[[Page], Page]:
    """Require a right in the study whose slug the URL holds, and pass the study to the view.

    The page takes GET and POST unless one of them is given. `also` is another right that opens it;
    visitors send it nothing unless `is_harmless`: its POST stores nothing. Without a sign-in the
    answer is the sign-in page; 404 without a role in the study, so that its existence is not
    revealed, and 403 with a role that lacks the right. Sets `request.role`, `may`,
    `is_demonstration` and `menu`, which is made when a page shows it.
    """
    roles = right.value | (also.value if also else frozenset())

    def decorate(view: Page) -> Page:
        @require_http_methods(methods or ("GET", "POST"))
        @never_cache
        @wraps(view)
        def answer(request: HttpRequest, *, slug: str, **arguments: object) -> HttpResponseBase:
            study = Study.objects.filter(slug=slug).first()
            role = role_of_reader(study, request.user) if study else None
            is_sent = request.method == "POST" and role == VISITOR and not is_harmless
            if not request.user.is_authenticated and (role not in roles or is_sent):
                return redirect_to_login(request.get_full_path())
            if study is None or role is None:
                raise Http404
            if role not in roles or is_sent:
                raise PermissionDenied
            _describe(request, study, role)
            is_refused = False
            try:
                with acting(request.user):
                    answered = view(request, study, **arguments)
                is_refused = answered.status_code >= HTTPStatus.BAD_REQUEST  # nothing is stored
                return answered
            finally:
                if request.method == "POST" and not is_refused:
                    forget_steps(study)

        return answer

    return decorate


def mark_in_menu(request: HttpRequest, study: Study, page: str | None) -> None:
    """Set the menu with the step of a page marked, by its URL name, instead of the page's own."""
    role: str = request.role  # type: ignore[attr-defined]
    request.menu = cache(partial(make_menu, study, role, page))  # type: ignore[attr-defined]


def _describe(request: HttpRequest, study: Study, role: str) -> None:
    """Set what templates need to know about the role of the user."""
    page = request.resolver_match.url_name if request.resolver_match else None
    request.role = role  # type: ignore[attr-defined]
    request.may = name_rights(role)  # type: ignore[attr-defined]
    mark_in_menu(request, study, page)
    request.is_demonstration = is_demonstration(study)  # type: ignore[attr-defined]
