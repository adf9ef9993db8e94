"""A study as one file: all its rows at one instant, its files, and a manifest of both.

The file is a tar archive of lines of JSON, one a row, and of the files of runs, with the manifest
last; encrypted, unless asked otherwise.
"""

import json
import shutil
import tarfile
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import asdict, dataclass, field
from datetime import datetime
from io import BytesIO
from pathlib import Path
from typing import Any

import pyrage
from django.conf import settings
from django.core.files.storage import default_storage
from django.db import DEFAULT_DB_ALIAS, connection, connections, transaction
from django.db.models import Model, Q, QuerySet
from django.utils import timezone

from surveys.access.audit_log import record
from surveys.errors import BackupRefused
from surveys.features import find_file_fields
from surveys.models import Invitation, Response, Study
from surveys.moving.tables import NAMED_BY, find_rows, find_tables, list_fields, list_keys
from surveys.operations.backups.archive import (
    COMPRESSION,
    FILES,
    MANIFEST,
    PARTIAL,
    add_part,
    flush_folder,
    remove_partial,
)
from surveys.operations.backups.store import AGE
from surveys.operations.migration_guard import read_recorded

FORMAT = 1
ROWS = "rows"
CHUNK = 2000
MOST_IDS = 500  # in a query


@dataclass
class StudyManifest:
    """The contents of a study's file; `columns` and `rows` are by model."""

    slug: str
    made_at: str
    site: str
    migrations: list[str] = field(default_factory=list)
    personal: dict[str, int] = field(default_factory=dict)
    families: list[str] = field(default_factory=list)
    columns: dict[str, list[str]] = field(default_factory=dict)
    rows: dict[str, int] = field(default_factory=dict)
    files: dict[str, dict[str, Any]] = field(default_factory=dict)
    missing: list[str] = field(default_factory=list)  # deleted while the file was made
    format: int = FORMAT


def export_study(study: Study, path: Path, *, recipient: str) -> tuple[Path, StudyManifest]:
    """Write a study into a new file, encrypted for a recipient if one is given, and log it.

    Return the path, which ends in .age if the file is encrypted. Raises BackupRefused.
    """
    if recipient and path.suffix != AGE:
        path = path.with_name(f"{path.name}{AGE}")
    if path.exists():
        raise BackupRefused(f"The file {path} already exists. Choose another name.")
    if not path.parent.is_dir():
        raise BackupRefused(f"The folder {path.parent} does not exist.")
    for folder in (Path(settings.VAR_DIR), path.parent):
        remove_partial(folder)
    try:
        with (
            tempfile.TemporaryDirectory(prefix=PARTIAL, dir=settings.VAR_DIR) as made,
            tempfile.TemporaryDirectory(prefix=PARTIAL, dir=path.parent) as target,
        ):
            plain, partial = Path(made) / "study", Path(target) / "study"
            with read_snapshot():
                manifest = _write_archive(study, plain)
            _seal(plain, partial, recipient)
            partial.chmod(0o600)
            partial.rename(path)
        flush_folder(path.parent)
    except OSError as error:
        raise BackupRefused(f"The study could not be written: {error.strerror}.") from error
    record("study.exported", study)
    return path, manifest


def _seal(plain: Path, path: Path, recipient: str) -> None:
    if not recipient:
        shutil.copyfile(plain, path)
        return
    try:
        key = pyrage.x25519.Recipient.from_str(recipient)
    except pyrage.RecipientError as error:
        raise BackupRefused(
            "The recipient is not a public key of age, which begins with age1."
        ) from error
    pyrage.encrypt_file(str(plain), str(path), [key])


@contextmanager
def read_snapshot() -> Iterator[None]:
    """Read the database as it is at one instant, without blocking those who write."""
    if connection.vendor == "sqlite":
        database: Any = connections[DEFAULT_DB_ALIAS]
        database.ensure_connection()
        mode, database.transaction_mode = database.transaction_mode, None  # takes no write lock
        try:
            with transaction.atomic():
                yield
        finally:
            database.transaction_mode = mode
        return
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        yield


def _write_archive(study: Study, path: Path) -> StudyManifest:
    manifest = StudyManifest(
        slug=study.slug,
        made_at=timezone.now().isoformat(timespec="seconds"),
        site=settings.SITE_URL,
        personal=count_personal(study),
        families=list(study.families.order_by("slug").values_list("slug", flat=True)),
    )
    needed: dict[type[Model], set[int]] = {model: set() for model in NAMED_BY}
    named: set[str] = set()
    with tarfile.open(path, mode="w:gz", compresslevel=COMPRESSION) as archive:
        for model, lookup in find_tables().items():
            columns = [field.attname for field in list_fields(model)]
            keys = [(columns.index(key.attname), needed[key.related_model])
                    for key in list_keys(model) if key.related_model in needed]  # fmt: skip
            names = [columns.index(name) for name in find_file_fields().get(model, ())]
            rows = find_rows(model, lookup, study).values_list(*columns).iterator(CHUNK)
            noted = _note_values(rows, [*keys, *((place, named) for place in names)])
            _add_rows(archive, manifest, model, columns, noted)
        for shared, ids in needed.items():
            columns = ["id", *NAMED_BY[shared]]
            _add_rows(archive, manifest, shared, columns, _read_shared(shared, columns, ids))
        manifest.personal["people with accounts, by user name"] = manifest.rows.get("auth.User", 0)
        _add_files(archive, manifest, named)
        applied, labels = read_recorded(), {label.partition(".")[0] for label in manifest.rows}
        manifest.migrations = sorted(".".join(row) for row in applied if row[0] in labels)
        add_part(archive, MANIFEST, BytesIO(json.dumps(asdict(manifest), indent=1).encode()))
    return manifest


def _note_values(
    rows: Iterable[tuple[Any, ...]], places: Sequence[tuple[int, set[Any]]]
) -> Iterator[tuple[Any, ...]]:
    """Yield rows, and add their values in some places to sets."""
    for row in rows:
        for place, seen in places:
            if row[place]:
                seen.add(row[place])
        yield row


def _read_shared(
    model: type[Model], columns: list[str], ids: set[int]
) -> Iterator[tuple[Any, ...]]:
    """Yield what names rows of several studies, such as accounts, without their other fields."""
    wanted = sorted(ids)
    for start in range(0, len(wanted), MOST_IDS):
        rows: QuerySet[Model] = QuerySet(model).filter(pk__in=wanted[start : start + MOST_IDS])
        yield from rows.order_by("pk").values_list(*columns)


def _add_rows(
    archive: tarfile.TarFile, manifest: StudyManifest, model: type[Model], columns: list[str],
    rows: Iterable[tuple[Any, ...]],
) -> None:  # fmt: skip
    n_rows, label = 0, model._meta.label
    with tempfile.TemporaryFile(dir=settings.VAR_DIR) as lines:
        for row in rows:
            line = json.dumps(row, default=_write_value, ensure_ascii=False)
            lines.write(f"{line}\n".encode())
            n_rows += 1
        if n_rows:
            manifest.files[f"{ROWS}/{label}"] = add_part(archive, f"{ROWS}/{label}", lines)
            manifest.columns[label], manifest.rows[label] = columns, n_rows


def _write_value(value: Any) -> str:
    return value.isoformat() if isinstance(value, datetime) else str(value)


def _add_files(archive: tarfile.TarFile, manifest: StudyManifest, named: set[str]) -> None:
    for name in sorted(named):
        try:
            source = default_storage.open(name)
        except FileNotFoundError:
            manifest.missing.append(name)
            continue
        with closing(source):
            manifest.files[f"{FILES}/{name}"] = add_part(archive, f"{FILES}/{name}", source)


def count_personal(study: Study) -> dict[str, int]:
    """Count the personal data in a study's file, by kind."""
    links, annotators = Invitation.objects.filter(study=study), study.annotators.all()
    written = Q(written1="", written2="", comment="")
    return {
        "annotators, by random codes": annotators.count(),
        "their ids at a provider": annotators.filter(worker__is_digest=False).count(),
        "notes on links": links.exclude(note="").count(),
        "e-mail addresses among them": links.filter(note__contains="@").count(),
        "answers with words or comments": Response.objects.filter(annotator__study=study)
        .exclude(written)
        .count(),
    }
