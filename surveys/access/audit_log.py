"""The audit log: entries are written in the transaction of the action they describe."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import datetime
from typing import Any, Protocol

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


class Scoped(Protocol):
    """What has a log and is no study; `scope` names it in entries, such as sharedtask:7."""

    @property
    def scope(self) -> str: ...


def find_entries(
    of: Study | Scoped, *, action: str = "", actor: str = "", since: datetime | None = None
) -> QuerySet[AuditEntry]:
    """Return the log entries of a study or an app's object, latest first, filtered by given values.

    `action` is the beginning of an action's name, such as study.
    """
    filters = {"action__startswith": action, "actor": actor, "at__gte": since}
    # Entries of the relation know their study without a query.
    rows = of.audit_entries if isinstance(of, Study) else AuditEntry.objects.filter(scope=of.scope)
    return rows.filter(**{name: value for name, value in filters.items() if value})


def record(
    action: str, of: Study | Scoped | None = None, subject: str = "", /, **details: Any
) -> None:
    """Add an entry to the log of a study, of an app's object, or of the site.

    Details are JSON values that identify no worker. E-mail addresses and provider ids are masked
    in a reason, which is free text.
    """
    actor = _acting.get()
    if "reason" in details:
        details["reason"] = mask_text(details["reason"])
    user = actor if isinstance(actor, User) else None
    AuditEntry.objects.create(
        study=of if isinstance(of, Study) else None,
        scope="" if isinstance(of, Study) or of is None else of.scope,
        user=user,
        actor=name_actor(),
        action=action,
        subject=subject[:200],
        details=details,
    )
