"""The audit log: entries are written in the transaction of the action they describe."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import datetime
from typing import Any

from django.contrib.auth.models import AbstractBaseUser, AnonymousUser, User
from django.db.models import QuerySet

from surveys.access.redaction import mask_text
from surveys.models import AuditEntry, Study

SITE = "the site"
MAX_ACTOR_LENGTH = 150
_acting: ContextVar[User | str] = ContextVar("acting", default=SITE)


@contextmanager
def acting(actor: User | AbstractBaseUser | AnonymousUser | str) -> Iterator[None]:
    """Attribute the actions within this context to an account, or to a source named by a text."""
    token = _acting.set(actor if isinstance(actor, User | str) else SITE)
    try:
        yield
    finally:
        _acting.reset(token)


def name_actor() -> str:
    """Return the name of the current actor, as the log has it."""
    actor = _acting.get()
    return (actor.get_username() if isinstance(actor, User) else str(actor))[:MAX_ACTOR_LENGTH]


def find_entries(
    of: Study | str, *, action: str = "", actor: str = "", since: datetime | None = None
) -> QuerySet[AuditEntry]:
    """Return the log entries of a study or scope, latest first, filtered by given values.

    `action` is the beginning of an action's name, such as study.
    """
    filters = {"action__startswith": action, "actor": actor, "at__gte": since}
    rows = AuditEntry.objects.filter(scope=of) if isinstance(of, str) else of.audit_entries.all()
    return rows.filter(**{name: value for name, value in filters.items() if value})


def record(
    action: str, study: Study | None = None, subject: str = "", *, scope: str = "", **details: Any
) -> None:
    """Add an entry to the log of a study or of a scope such as sharedtask:7.

    Details are JSON values that identify no worker. E-mail addresses and provider ids are masked
    in a reason, which is free text.
    """
    actor = _acting.get()
    if "reason" in details:
        details["reason"] = mask_text(details["reason"])
    user = actor if isinstance(actor, User) else None
    AuditEntry.objects.create(
        study=study,
        scope=scope,
        user=user,
        actor=name_actor(),
        action=action,
        subject=subject[:200],
        details=details,
    )
