"""Sign-in at the operator's OpenID Connect provider: to it, and back."""

import logging
from collections.abc import Mapping
from functools import cache
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.contrib.auth import login
from django.http import Http404, HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from surveys.access.account_addresses import find_or_make_account
from surveys.access.client_address import client_address
from surveys.access.sign_in_limits import SINGLE_SIGN_ON_LIMIT, take_check
from surveys.errors import AccessRefused
from surveys.web.sign_in import BY_LINK, finish_sign_in, refuse_sign_in

SECONDS = 10  # for each answer of the provider
log = logging.getLogger(__name__)


def name_provider() -> str:
    """Return the host of the provider, or an empty string without one."""
    return urlsplit(settings.OIDC_ISSUER).hostname or ""


@never_cache
@require_safe
def begin(request: HttpRequest) -> HttpResponseBase:
    """Lead the browser to the provider."""
    if not settings.OIDC_ISSUER:
        raise Http404
    if wait := take_check({f"single sign-on {client_address(request)}": SINGLE_SIGN_ON_LIMIT}):
        return refuse_sign_in(request, wait)
    from requests import RequestException

    back = settings.SITE_URL + reverse("console:single_sign_on_return")
    try:
        answer: HttpResponseBase = _provider().authorize_redirect(request, back)
    except (RequestException, RuntimeError, ValueError) as error:  # no answer, or a faulty answer
        log.warning("The OpenID Connect provider failed: %s", type(error).__name__)
        raise AccessRefused("The sign-in service does not answer. Try again later.") from error
    return answer


@never_cache
@require_safe
def finish(request: HttpRequest) -> HttpResponseBase:
    """Sign the account in for which the provider vouches; a second factor is still asked for."""
    if not settings.OIDC_ISSUER:
        raise Http404
    user = find_or_make_account(_read_claims(request))
    login(request, user, backend=BY_LINK)
    return finish_sign_in(request, redirect(settings.LOGIN_REDIRECT_URL))


def _read_claims(request: HttpRequest) -> Mapping[str, Any]:
    """Return the claims of the provider's answer. Raises AccessRefused for one that is not its."""
    from authlib.common.errors import AuthlibBaseError
    from joserfc.errors import JoseError
    from requests import RequestException

    provider = _provider()
    try:
        token = provider.authorize_access_token(request)
        claims = dict(token.get("userinfo") or {})
        if claims and "email" not in claims:
            more = provider.userinfo(token=token)
            claims |= more if more.get("sub") == claims["sub"] else {}
    except (AuthlibBaseError, JoseError, RequestException, RuntimeError, ValueError) as error:
        log.warning("A single sign-on failed: %s", type(error).__name__)
        raise AccessRefused("The sign-in failed. Begin again on the sign-in page.") from error
    return claims


@cache
def _register(issuer: str, client: str, secret: str) -> Any:
    from authlib.integrations.django_client import OAuth  # takes a tenth of a second

    return OAuth().register(
        "oidc",
        client_id=client,
        client_secret=secret,
        server_metadata_url=f"{issuer}/.well-known/openid-configuration",
        client_kwargs={
            "scope": "openid email",
            "code_challenge_method": "S256",
            "default_timeout": SECONDS,
        },
    )


def _provider() -> Any:
    return _register(settings.OIDC_ISSUER, settings.OIDC_CLIENT, settings.OIDC_SECRET)
