"""API tokens: created, found by the digest of their key, revoked."""

import hashlib
import secrets
from collections.abc import Collection
from datetime import datetime, timedelta

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils import timezone

from surveys.access.audit_log import record
from surveys.access.roles import AnyUser, is_limited
from surveys.errors import TokenRefused
from surveys.features import merge_mappings
from surveys.models import ApiToken

PREFIX = "cosima_"  # recognised by scanners for leaked keys
MAX_NAME_LENGTH = 100
MAX_TOKENS = 50  # of one account
USE_INTERVAL = timedelta(minutes=1)  # in which the last use is stored once
OF_STUDIES = {
    "studies:read": "read studies, their stimuli, design and progress",
    "studies:write": "create studies and change their design",
    "invitations:write": "create, list and revoke personal links",
    "responses:read": "read and export responses",
    "runs:read": "read recipes, runs and their files",
    "runs:write": "run recipes",
    "releases:read": "read releases and their files",
    "releases:write": "create releases",
    "reviews:read": "read the review queue, with its evidence",
    "reviews:write": "give verdicts, and choose how much is reviewed",
}
OF_ACCESS = {
    "people:read": "read members and their roles",
    "people:write": "grant and revoke roles",
    "log:read": "read the audit log",
    "webhooks:write": "read and change webhooks",
}


def all_scopes() -> dict[str, str]:
    """Return all scopes with their meanings."""
    return {**OF_STUDIES, **merge_mappings("api_scopes"), **OF_ACCESS}


def list_scopes(user: AnyUser) -> dict[str, str]:
    """Return the scopes that tokens of an account can have, with their meanings."""
    return merge_mappings("api_scopes") if is_limited(user) else all_scopes()


def own_tokens(user: User) -> QuerySet[ApiToken]:
    """Return the tokens of an account that are not revoked, latest first."""
    return ApiToken.objects.filter(user=user, revoked_at=None)


@transaction.atomic
def make_token(
    user: User, name: str, scopes: Collection[str], *, expires_at: datetime | None = None
) -> tuple[ApiToken, str]:
    """Create a token for an account and return it with its key, which is not stored.

    Raises TokenRefused for no scopes or such as the account cannot have, a name in use, too many
    tokens, or an expiry date in the past.
    """
    name = name.strip()
    if not 1 <= len(name) <= MAX_NAME_LENGTH:
        raise TokenRefused(f"Give the token a name of 1 to {MAX_NAME_LENGTH} characters.")
    offered = list_scopes(user)
    if unknown := sorted(set(scopes) - set(offered)):
        raise TokenRefused(f"No such scope: {', '.join(unknown)}. Scopes: {', '.join(offered)}.")
    if not scopes:
        raise TokenRefused("Choose at least one scope for the token.")
    if expires_at and expires_at <= timezone.now():
        raise TokenRefused("The expiry date is in the past; give a later one.")
    User.objects.select_for_update(no_key=True).get(pk=user.pk)
    names = ApiToken.objects.valid(timezone.now()).filter(user=user).values_list("name", flat=True)
    if name in names:  # also when a form is sent twice
        raise TokenRefused(f"You already have a token {name!r}; revoke it, or choose another name.")
    if len(names) >= MAX_TOKENS:
        raise TokenRefused(f"You already have {MAX_TOKENS} tokens; revoke one first.")
    key = PREFIX + secrets.token_urlsafe(32)
    ordered = [scope for scope in all_scopes() if scope in scopes]
    token = ApiToken.objects.create(
        user=user, name=name, digest=_digest(key), scopes=ordered, expires_at=expires_at
    )
    record("token.made", None, f"token {token.pk}", of=user.get_username(), scopes=ordered)
    return token, key


@transaction.atomic
def revoke_token(token: ApiToken) -> None:
    """Revoke a token; idempotent."""
    revoked = ApiToken.objects.filter(pk=token.pk, revoked_at=None).update(
        revoked_at=timezone.now()
    )
    if revoked:
        record("token.revoked", None, f"token {token.pk}", of=token.user.get_username())


def find_token(key: str) -> ApiToken | None:
    """Return the valid token of a key, or None; its last use is stored at most once a minute."""
    now = timezone.now()
    tokens = ApiToken.objects.valid(now).select_related("user__limited_account")
    token = tokens.filter(digest=_digest(key)).first()
    if token and (token.last_used_at is None or now - token.last_used_at > USE_INTERVAL):
        outdated = Q(last_used_at__isnull=True) | Q(last_used_at__lt=now - USE_INTERVAL)
        ApiToken.objects.filter(outdated, pk=token.pk).update(last_used_at=now)
    return token


def allows(token: ApiToken, scope: str) -> bool:
    """Return whether a token has a scope; a write scope includes reading."""
    return scope in token.scopes or scope.replace(":read", ":write") in token.scopes


def _digest(key: str) -> str:
    """Return a key's SHA-256 digest; 256 random bits need no salt and no slow hash."""
    return hashlib.sha256(key.encode()).hexdigest()
