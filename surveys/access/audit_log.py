"""What was decided, by whom and when: written in the transaction of the decision itself."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import datetime
from typing import Any

from django.contrib.auth.models import AbstractBaseUser, AnonymousUser, User
from django.db.models import QuerySet

from surveys.access.redaction import mask_text
from surveys.models import AuditEntry, Study

NOBODY = "the site"
LONGEST_ACTOR = 150
_acting: ContextVar[User | str] = ContextVar("acting", default=NOBODY)


@contextmanager
def acting(actor: User | AbstractBaseUser | AnonymousUser | str) -> Iterator[None]:
    """Within this, what is recorded was done by somebody, or by what the text names."""
    token = _acting.set(actor if isinstance(actor, User | str) else NOBODY)
    try:
        yield
    finally:
        _acting.reset(token)


def name_actor() -> str:
    """Return the name of who acts, as the log writes it."""
    actor = _acting.get()
    return (actor.get_username() if isinstance(actor, User) else str(actor))[:LONGEST_ACTOR]


def find_entries(
    study: Study, *, action: str = "", actor: str = "", since: datetime | None = None
) -> QuerySet[AuditEntry]:
    """What was decided in a study, the latest first, narrowed as asked for.

    `action` is how it begins, such as study.
    """
    found = study.audit_entries.all()
    if action:
        found = found.filter(action__startswith=action)
    if actor:
        found = found.filter(actor=actor)
    if since is not None:
        found = found.filter(at__gte=since)
    return found


def record(action: str, study: Study | None = None, subject: str = "", **details: Any) -> None:
    """Keep a decision. Details are what JSON can hold, without anything that names a worker.

    In a reason, which somebody wrote, addresses and providers' ids are masked.
    """
    actor = _acting.get()
    if "reason" in details:
        details["reason"] = mask_text(details["reason"])
    user = actor if isinstance(actor, User) else None
    AuditEntry.objects.create(
        study=study,
        user=user,
        actor=name_actor(),
        action=action,
        subject=subject[:200],
        details=details,
    )
