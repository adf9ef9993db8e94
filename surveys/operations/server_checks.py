"""What `manage.py check --deploy` and the start of a server say of its settings and files."""

import logging
import secrets
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core import checks
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.db import DatabaseError, connection
from django.utils.crypto import salted_hmac

from surveys.models import SharedMark

KEY, FILES = "SECRET_KEY", "VAR_DIR/files"
MARK_NAME = "site_mark"  # of the file with the mark, in the folder of files
log = logging.getLogger(__name__)


@checks.register(deploy=True)
def check_server(**chosen: Any) -> list[checks.CheckMessage]:
    """Find settings and files whose lack clients would notice."""
    messages: list[checks.CheckMessage] = []
    if settings.IS_HTTPS and not settings.TRUSTED_PROXIES:
        messages.append(
            checks.Warning(
                "SITE_URL is https, but TRUSTED_PROXIES is empty: all clients share the limits of "
                "the proxy's address.",
                hint="Set TRUSTED_PROXIES to the proxy's address, such as 127.0.0.1,::1.",
                id="surveys.W001",
            )
        )
    if not settings.DEBUG and not (Path(settings.STATIC_ROOT) / "staticfiles.json").exists():
        messages.append(
            checks.Error(
                f"The static files are not in {settings.STATIC_ROOT}: no page can be shown.",
                hint="Run manage.py collectstatic on each server, as scripts/serve does.",
                id="surveys.E001",
            )
        )
    return messages + check_marks()


def check_marks() -> list[checks.CheckMessage]:
    """Compare what servers of a site share with its first server, which leaves its marks.

    On SQLite a site has one server. A database that is away or too old is reported elsewhere.
    """
    if connection.vendor == "sqlite":
        return []
    try:
        return list(_find_foreign())
    except DatabaseError:
        return []


def _find_foreign() -> Iterator[checks.CheckMessage]:
    for subject, mark in ((KEY, _mark_of_key()), (FILES, _mark_of_files())):
        stored = SharedMark.objects.filter(subject=subject).first()
        if stored is None and mark:
            stored, _ = SharedMark.objects.get_or_create(subject=subject, defaults={"mark": mark})
        if stored and stored.mark != mark:
            yield checks.Error(
                f"{subject} differs from the first server's: all servers of a site must share it "
                "(docs/operations.md).",
                hint="If it was changed on purpose, run manage.py accept_server.",
                id="surveys.E002",
            )


def _mark_of_key() -> str:
    return salted_hmac("cosima.servers", KEY, algorithm="sha256").hexdigest()


def _mark_of_files() -> str:
    """Return the mark in the folder of files, which is made if it is missing; "" if it cannot."""
    try:
        if not default_storage.exists(MARK_NAME):
            written = ContentFile(secrets.token_hex().encode())
            if (name := default_storage.save(MARK_NAME, written)) != MARK_NAME:
                default_storage.delete(name)  # another server was faster
        with default_storage.open(MARK_NAME) as file:
            return str(file.read().decode())
    except OSError:
        return ""


def report_at_start(messages: Iterable[checks.CheckMessage]) -> None:
    """Log what was found at the start of a server. Raises SystemExit for errors."""
    connection.close()
    for message in messages:
        if message.is_serious():
            raise SystemExit(f"{message.msg} {message.hint}")
        log.warning("%s %s", message.msg, message.hint)


def accept_server() -> None:
    """Let the next server that starts leave the marks of its key and its folder of files."""
    SharedMark.objects.all().delete()
