"""The sessions of an account: in which browser, since when; the engine of `SESSION_ENGINE`."""

from collections.abc import Iterator
from datetime import datetime
from typing import Any, NamedTuple, cast

from django.contrib.auth import HASH_SESSION_KEY, SESSION_KEY
from django.contrib.auth.models import User
from django.contrib.sessions.backends.db import SessionStore as DatabaseStore
from django.http import HttpRequest
from django.utils import timezone
from django.utils.crypto import constant_time_compare, salted_hmac

from surveys.access.audit_log import record
from surveys.models import AccountSession

MARK = "signed_in"  # key of a session: its browser, and the instant of its sign-in
# In this order: a user agent also names browsers and systems that it resembles.
BROWSERS = {
    "Edg": "Edge", "OPR": "Opera", "Firefox": "Firefox", "FxiOS": "Firefox", "Chrome": "Chrome",
    "CriOS": "Chrome", "Safari": "Safari",
}  # fmt: skip
SYSTEMS = {
    "Android": "Android", "iPhone": "iPhone", "iPad": "iPad", "Windows": "Windows",
    "Mac OS": "macOS", "CrOS": "ChromeOS", "Linux": "Linux",
}  # fmt: skip


class SessionStore(DatabaseStore):
    """Django's sessions, with a column for the account."""

    @classmethod
    def get_model_class(cls) -> type[AccountSession]:
        return AccountSession

    def create_model_instance(self, data: dict[str, Any]) -> AccountSession:
        row = cast("AccountSession", super().create_model_instance(data))
        row.account_id = data.get(SESSION_KEY)
        return row


class SignedIn(NamedTuple):
    """A session as its owner sees it; the id does not open it."""

    id: str
    browser: str
    at: datetime
    is_this: bool


def note_browser(request: HttpRequest, **sent: object) -> None:
    """Note the browser of a sign-in in its session; a receiver of `user_logged_in`."""
    browser = name_browser(request.headers.get("User-Agent", ""))
    request.session[MARK] = (browser, timezone.now().isoformat())


def name_browser(agent: str) -> str:
    """Return the browser and the system that a user agent names.

    >>> name_browser("Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0")
    'Firefox on Linux'
    """
    browser = next((name for mark, name in BROWSERS.items() if f"{mark}/" in agent), "Unknown")
    system = next((name for mark, name in SYSTEMS.items() if mark in agent), "unknown system")
    return f"{browser} on {system}"


def list_sessions(request: HttpRequest, user: User) -> list[SignedIn]:
    """Return the sessions in which an account is signed in, the latest sign-in first."""
    rows = []
    for session in _find_sessions(user):
        browser, at = session.get_decoded()[MARK]
        is_this = session.session_key == request.session.session_key
        rows.append(SignedIn(_name(session), browser, datetime.fromisoformat(at), is_this))
    return sorted(rows, key=lambda row: row.at, reverse=True)


def end_sessions(request: HttpRequest, user: User, session_id: str) -> int:
    """End a session of an account, or all if the id is empty; never the request's own.

    Returns the number of ended sessions.
    """
    ended = [
        session.delete()
        for session in _find_sessions(user)
        if session.session_key != request.session.session_key and session_id in ("", _name(session))
    ]
    if ended:
        record("account.sessions_ended", None, user.get_username(), n_sessions=len(ended))
    return len(ended)


def _find_sessions(user: User) -> Iterator[AccountSession]:
    """Yield the sessions of an account since its last change of password."""
    current = user.get_session_auth_hash()
    now = timezone.now()
    for session in AccountSession.objects.filter(account_id=user.pk, expire_date__gt=now):
        data = session.get_decoded()
        if MARK in data and constant_time_compare(data[HASH_SESSION_KEY], current):
            yield session


def _name(session: AccountSession) -> str:
    return salted_hmac("surveys.sessions", session.session_key).hexdigest()
