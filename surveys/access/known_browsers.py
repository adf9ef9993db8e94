"""Browsers in which an account signed in before: they can sign in during an attack.

A signed cookie binds a browser to the account and its password. It does not sign in by itself:
the password is still required, but neither a lock nor the limits of other clients apply.
"""

import secrets
from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.core import signing
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils.crypto import constant_time_compare

from surveys.access.roles import read_username

COOKIE = "known_browser"
SALT = "surveys.known_browsers"
LIFETIME = timedelta(days=90)  # since the last sign-in
N_BYTES = 12


def find_browser(request: HttpRequest, username: str) -> str:
    """Return the id of the request's browser if the account signed in there before, or ''."""
    try:
        cookie = signing.loads(request.COOKIES.get(COOKIE, ""), salt=SALT, max_age=LIFETIME)
    except signing.BadSignature:
        return ""
    user = User.objects.filter(pk=cookie["user"], is_active=True).first()
    if user is None or user.get_username() != username:
        return ""
    is_current = constant_time_compare(cookie["password"], user.get_session_auth_hash())
    return str(cookie["browser"]) if is_current else ""


def is_known(request: HttpRequest, credentials: Mapping[str, Any] | None = None) -> bool:
    """Return whether a sign-in comes from a known browser of the account."""
    return bool(find_browser(request, read_username(request, credentials)))


def remember_browser(response: HttpResponseBase, user: User, browser: str = "") -> None:
    """Set the cookie by which an account knows the browser for `LIFETIME`."""
    cookie = {
        "user": user.pk,
        "password": user.get_session_auth_hash(),
        "browser": browser or secrets.token_urlsafe(N_BYTES),
    }
    response.set_cookie(
        COOKIE,
        signing.dumps(cookie, salt=SALT),
        max_age=LIFETIME,
        secure=settings.IS_HTTPS,
        httponly=True,
        samesite="Strict",
    )
