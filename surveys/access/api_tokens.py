"""Keys for programs: made, found again by their digest alone, revoked."""

import hashlib
import secrets
from collections.abc import Collection
from datetime import datetime, timedelta

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from surveys.access.audit_log import record
from surveys.errors import TokenRefused
from surveys.models import ApiToken

PREFIX = "cosima_"  # so that scanners for leaked keys know one
LONGEST_NAME = 100
MOST_A_PERSON = 50
BETWEEN_SIGNS = timedelta(minutes=1)
SCOPES = {
    "studies:read": "read studies, their stimuli, design and progress",
    "studies:write": "make studies and change their design",
    "invitations:write": "make, list and revoke personal links",
    "responses:read": "read and export what annotators answered",
    "runs:read": "read recipes, runs and their files",
    "runs:write": "run recipes",
    "releases:read": "read releases and their files",
    "releases:write": "make releases",
    "reviews:read": "read what is to be judged, with its evidence",
    "reviews:write": "give verdicts, and choose how much is judged",
    "people:read": "read who has which role",
    "people:write": "give and take roles",
    "log:read": "read what was decided, by whom and when",
    "webhooks:write": "read and change webhooks",
}


@transaction.atomic
def make_token(
    user: User, name: str, scopes: Collection[str], *, expires_at: datetime | None = None
) -> tuple[ApiToken, str]:
    """A new token of somebody, and beside it its key, which nobody can be told again.

    Raises TokenRefused for scopes that do not exist, or none, for a name that is in use, or an
    end in the past.
    """
    name = name.strip()
    if not 1 <= len(name) <= LONGEST_NAME:
        raise TokenRefused(f"Give the token a name of 1 to {LONGEST_NAME} characters.")
    if unknown := sorted(set(scopes) - set(SCOPES)):
        raise TokenRefused(f"No such scope: {', '.join(unknown)}. Scopes: {', '.join(SCOPES)}.")
    if not scopes:
        raise TokenRefused("Choose what the token may do: it has no scope.")
    if expires_at and expires_at <= timezone.now():
        raise TokenRefused("The token would have expired already; give a day that is to come.")
    User.objects.select_for_update(no_key=True).get(pk=user.pk)
    names = ApiToken.objects.valid(timezone.now()).filter(user=user).values_list("name", flat=True)
    if name in names:  # also where a form is sent twice
        raise TokenRefused(f"You have a token {name!r} already; revoke it first, or choose a name.")
    if len(names) >= MOST_A_PERSON:
        raise TokenRefused(f"There are {MOST_A_PERSON} tokens already; revoke one first.")
    key = PREFIX + secrets.token_urlsafe(32)
    ordered = [scope for scope in SCOPES if scope in scopes]
    token = ApiToken.objects.create(
        user=user, name=name, digest=_digest(key), scopes=ordered, expires_at=expires_at
    )
    record("token.made", None, f"token {token.pk}", of=user.get_username(), scopes=ordered)
    return token, key


@transaction.atomic
def revoke_token(token: ApiToken) -> None:
    """Let a token open nothing any more; once."""
    revoked = ApiToken.objects.filter(pk=token.pk, revoked_at=None).update(
        revoked_at=timezone.now()
    )
    if revoked:
        record("token.revoked", None, f"token {token.pk}", of=token.user.get_username())


def find_token(key: str) -> ApiToken | None:
    """The valid token of a key, with its user; that it was used is kept once a minute."""
    now = timezone.now()
    tokens = ApiToken.objects.valid(now).select_related("user")
    token = tokens.filter(digest=_digest(key)).first()
    if token and (token.last_used_at is None or now - token.last_used_at > BETWEEN_SIGNS):
        unsaid = Q(last_used_at__isnull=True) | Q(last_used_at__lt=now - BETWEEN_SIGNS)
        ApiToken.objects.filter(unsaid, pk=token.pk).update(last_used_at=now)
    return token


def allows(token: ApiToken, scope: str) -> bool:
    """Whether a token has a scope; whoever may write something may read it, too."""
    return scope in token.scopes or scope.replace(":read", ":write") in token.scopes


def _digest(key: str) -> str:
    """No salt and no slow hash: a key is 256 random bits."""
    return hashlib.sha256(key.encode()).hexdigest()
