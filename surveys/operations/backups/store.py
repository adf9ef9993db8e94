"""The place of a site's backups: a folder or a bucket, what is kept there, and for how long."""

import re
import tempfile
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pyrage
from botocore.exceptions import BotoCoreError, ClientError
from django.conf import settings
from django.core.files import File
from django.core.files.storage import Storage, storages
from django.db import DatabaseError
from django.db.models import Min
from django.utils import timezone

from surveys.errors import BackupRefused
from surveys.models import Study
from surveys.operations.backups.archive import PARTIAL, Manifest, check_backup, write_backup

NAME = re.compile(r"cosima-(\d{8}T\d{6}Z)\.tar\.gz(\.age)?")
INSTANT = "%Y%m%dT%H%M%SZ"
AGE = ".age"
JOURNAL = "erasures"  # the folder of `privacy.journal`, beside the backups
JOURNAL_KEPT = timedelta(days=400)  # longer than any backup
AWAY = (BotoCoreError, ClientError, OSError)
N_DAYS, N_WEEKS, N_MONTHS = 7, 4, 12


def store_backup(*, checks: bool) -> tuple[str, int, Manifest]:
    """Write a backup to the place of backups; return its name, size in bytes and manifest.

    It is written and checked in VAR_DIR first, and encrypted if the setting names a recipient.
    Backups that are no longer kept are deleted. Raises BackupRefused.
    """
    now = timezone.now()
    name = f"cosima-{now.astimezone(UTC).strftime(INSTANT)}.tar.gz"
    with tempfile.TemporaryDirectory(prefix=PARTIAL, dir=settings.VAR_DIR) as made:
        path = Path(made) / name
        manifest = write_backup(path)
        if checks:
            check_backup(path)
        if settings.BACKUP_RECIPIENT:
            path, plain = path.with_name(f"{name}{AGE}"), path
            recipient = pyrage.x25519.Recipient.from_str(settings.BACKUP_RECIPIENT)
            pyrage.encrypt_file(str(plain), str(path), [recipient])
            plain.unlink()
        size = path.stat().st_size
        try:
            store = storages["backups"]
            with path.open("rb") as file:
                if store.save(path.name, File(file)) != path.name:
                    raise BackupRefused(f"{path.name} is there already. Try again in a second.")
            stored = list_backups()
            for old in choose_expired(stored, now, longest=shortest_promise()):
                store.delete(old)
            _shorten_journal(now)
        except AWAY as error:
            raise BackupRefused(f"The place of backups cannot be used: {error}") from error
    return path.name, size, manifest


def list_backups() -> dict[str, datetime]:
    """Return the instants of the backups at their place, by name, the oldest first."""
    found = ((name, NAME.fullmatch(name)) for name in list_names(""))
    return {
        name: datetime.strptime(match[1], INSTANT).replace(tzinfo=UTC)
        for name, match in found
        if match
    }


def list_names(folder: str, place: Storage | None = None) -> list[str]:
    """Return the names of the files in a folder of the place of backups, or another, in order."""
    try:
        return sorted((place or storages["backups"]).listdir(folder)[1])
    except FileNotFoundError:  # a folder in which nothing was stored yet; a bucket has none
        return []


def fetch_backup(name: str, folder: Path, *, identity: Path | None) -> Path:
    """Copy a backup from its place, or a local file, into a folder, decrypted.

    `latest` is the newest at the place. Raises BackupRefused.
    """
    try:
        if name == "latest":
            name = next(reversed(list_backups()), "")
        path = Path(name)
        if not path.is_file():
            if not NAME.fullmatch(name) or not storages["backups"].exists(name):
                raise BackupRefused(f"The backup {name or 'latest'} does not exist.")
            path = folder / name
            with storages["backups"].open(name) as source, path.open("wb") as target:
                for chunk in source.chunks():
                    target.write(chunk)
        return _decrypt(path, folder, identity) if path.suffix == AGE else path
    except AWAY as error:
        raise BackupRefused(f"The place of backups cannot be used: {error}") from error


def choose_expired(
    made: Mapping[str, datetime], now: datetime, *, longest: timedelta | None = None
) -> list[str]:
    """Return the backups to delete: all but the newest of each of the last days, weeks and months.

    Seven days, four weeks and twelve months that have a backup count. A backup older than `longest`
    is deleted, too, except the newest of all.
    """
    newest_first = sorted(made, key=made.__getitem__, reverse=True)
    kept = set(newest_first[:1])
    for n_kept, form in ((N_DAYS, "%Y-%j"), (N_WEEKS, "%G-%V"), (N_MONTHS, "%Y-%m")):
        newest_of = {made[name].strftime(form): name for name in reversed(newest_first)}
        kept |= set(sorted(newest_of.values(), key=made.__getitem__)[-n_kept:])
    if longest is not None:
        kept = {name for name in kept if now - made[name] <= longest} | set(newest_first[:1])
    return [name for name in made if name not in kept]


def shortest_promise() -> timedelta | None:
    """Return the shortest time after which a study promises to drop ids and notes, if any."""
    try:
        days = Study.objects.aggregate(shortest=Min("retention_days"))["shortest"]
    except DatabaseError:  # not migrated yet
        return None
    return timedelta(days=days) if days is not None else None


def _shorten_journal(now: datetime) -> None:
    """Delete entries from before the oldest backup, which lacks what they are about."""
    oldest = (now - JOURNAL_KEPT).strftime(INSTANT)
    for name in list_names(JOURNAL):
        if name < oldest:
            storages["backups"].delete(f"{JOURNAL}/{name}")


def _decrypt(path: Path, folder: Path, identity: Path | None) -> Path:
    if identity is None:
        raise BackupRefused(f"{path.name} is encrypted: name the file of the key by --identity.")
    plain = folder / path.stem
    try:
        lines = identity.read_text().splitlines()
        keys = [line.strip() for line in lines if line.startswith("AGE-SECRET-KEY-")]
        identities = [pyrage.x25519.Identity.from_str(key) for key in keys]
        pyrage.decrypt_file(str(path), str(plain), identities)
    except (OSError, pyrage.IdentityError, pyrage.DecryptError) as error:
        raise BackupRefused(f"{path.name} cannot be decrypted with {identity}: {error}.") from error
    return plain
