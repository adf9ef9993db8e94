"""A study from another site's file, with new ids, in one transaction."""

import json
import tempfile
from array import array
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from itertools import chain, islice
from pathlib import Path, PurePath
from typing import Any, NamedTuple, Protocol, cast

from django.apps import apps
from django.conf import settings
from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.core.files import File
from django.core.files.storage import FileSystemStorage
from django.db import IntegrityError, connection, transaction
from django.db.models import DateField, DecimalField, Field, ForeignKey, Model, QuerySet, UUIDField

from surveys.access.audit_log import record
from surveys.errors import BackupRefused
from surveys.features import find_file_fields, merge_mappings
from surveys.models import Annotator, Invitation, LimitedAccount, Study, Worker
from surveys.models.participation import make_token
from surveys.moving.export import FORMAT, ROWS, StudyManifest
from surveys.moving.tables import find_rows, find_tables, ids_within, list_fields
from surveys.operations.backups.archive import FILES, MANIFEST, PARTIAL, is_below, read_parts
from surveys.operations.backups.store import AWAY, fetch_backup
from surveys.operations.migration_guard import read_recorded
from surveys.privacy.journal import Deed
from surveys.privacy.replay import read_journal, repeat_deeds
from surveys.privacy.retention import drop_due

CHUNK = 1000
WRITTEN_AS_TEXT = (DateField, DecimalField, UUIDField)


class Imported(NamedTuple):
    """What came with a study: new inactive accounts, and deeds of journals done again."""

    study: Study
    manifest: StudyManifest
    new_accounts: list[str]
    repeated: Counter[Deed]


class NewIds(Protocol):
    """Finds the id that a row has here."""

    def get(self, old: int, /) -> int | None: ...


class OrderedIds:
    """New ids by old ids, added in ascending order; 16 bytes for each, unlike in a dictionary."""

    def __init__(self) -> None:
        self.old, self.new = array("q"), array("q")

    def add(self, old: int, new: int) -> None:
        """Add a row's ids."""
        self.old.append(old)
        self.new.append(new)

    def get(self, old: int, /) -> int | None:
        """Return the new id of a row, or None if it did not come."""
        place = bisect_left(self.old, old)
        return self.new[place] if self.old[place : place + 1] == array("q", [old]) else None


def import_study(
    path: Path, *, identity: Path | None, slug: str, renews_links: bool, journal: Path | None
) -> Imported:
    """Store the study in a file, under its name or another, all or nothing, and log it.

    Withdrawals and erasures in this site's journal, and in a folder with the other site's, are done
    again before anybody sees the study. Raises BackupRefused.
    """
    if journal and not journal.is_dir():
        raise BackupRefused(f"The folder {journal} does not exist.")
    with tempfile.TemporaryDirectory(prefix=PARTIAL, dir=settings.VAR_DIR) as made:
        folder = Path(made)
        archive = fetch_backup(str(path), folder, identity=identity)
        manifest, parts = read_parts(archive, folder, StudyManifest, _is_part)
        if manifest.format != FORMAT or parts != manifest.files:
            raise BackupRefused(f"{path} is damaged: its contents do not match its manifest.")
        slug = slug or manifest.slug
        _refuse_foreign(manifest, slug)
        loader = _Loader(manifest, folder)
        try:
            with transaction.atomic():
                study = loader.load(slug)
                repeated = _repeat_deeds(study, journal)
                if renews_links:
                    _renew_links(study)
                record("study.imported", study, manifest.slug)
                loader.store_files()
        except BaseException as error:
            loader.delete_files()
            if isinstance(error, IntegrityError):
                raise BackupRefused(
                    "Rows of this study are on this site already: codes and links are unique. "
                    "Nothing was imported."
                ) from error
            raise
    return Imported(study, manifest, loader.new_accounts, repeated)


def _is_part(name: str) -> bool:
    return name == MANIFEST or is_below(name, ROWS) or is_below(name, FILES)


def _refuse_foreign(manifest: StudyManifest, slug: str) -> None:
    """Raise BackupRefused for apps and migrations that differ, and for a name that is taken."""
    labels = {label.partition(".")[0] for label in manifest.rows}
    if missing := sorted(labels - {app.label for app in apps.get_app_configs()}):
        raise BackupRefused(
            f"The study has rows of {', '.join(missing)}: add it to APPS here, or delete them "
            "there."
        )
    here = {".".join(row) for row in read_recorded() if row[0] in labels}
    if differing := sorted(here ^ set(manifest.migrations)):
        raise BackupRefused(
            f"Another version of Cosima wrote the file (migration {differing[-1]} is on one site "
            "only). Bring both sites to the same version, then export again."
        )
    try:
        Study._meta.get_field("slug").clean(slug, None)
    except ValidationError as error:
        raise BackupRefused(f"{slug!r} cannot be a study's name: {error.messages[0]}") from error
    if Study.objects.filter(slug=slug).exists():
        raise BackupRefused(f"The name {slug} is taken here. Choose another by --as NAME.")


def _repeat_deeds(study: Study, journal: Path | None) -> Counter[Deed]:
    """Repeat the deeds of both sites' journals in a study, and drop what is due there."""
    copy = FileSystemStorage(journal.resolve().parent) if journal else None
    entries = read_journal(copy, journal.resolve().name) if journal else ()
    try:
        done = repeat_deeds(
            chain(read_journal(), entries),
            Annotator.objects.filter(study=study),
            Invitation.objects.filter(study=study),
        )
    except AWAY as error:
        raise BackupRefused(f"The place of backups cannot be used: {error}") from error
    drop_due(study)
    return done


def _renew_links(study: Study) -> None:
    for model, lookup in find_tables().items():
        for field in list_fields(model):
            if field.default is make_token:
                rows = list(find_rows(model, lookup, study).only(field.attname))
                for row in rows:
                    setattr(row, field.attname, make_token())
                table: QuerySet[Any] = QuerySet(model)
                table.bulk_update(rows, [field.attname], batch_size=CHUNK)


class _Loader:
    """Loads the rows of one file, and remembers their new ids."""

    def __init__(self, manifest: StudyManifest, folder: Path) -> None:
        self.manifest, self.folder = manifest, folder
        self.ids: dict[type[Model], NewIds] = {}
        self.new_accounts: list[str] = []
        self.stored: list[Any] = []

    def load(self, slug: str) -> Study:
        """Store all rows; return the study, under a name."""
        self.ids = {User: self._match_accounts(), Worker: self._match_workers()}
        values = {"surveys.Study": {"slug": slug}, **merge_mappings("moved_values")}
        for model in find_tables():
            self.ids[model] = self._load_rows(model, values.get(model._meta.label, {}))
        return Study.objects.get(slug=slug)

    def store_files(self) -> None:
        """Copy files to the places that follow from the new ids."""
        for model, names in find_file_fields().items():
            for row in self._read(model._meta.label):
                made: Any = QuerySet(model).get(pk=self.ids[model].get(row["id"]))
                for name in names:
                    self._store_file(getattr(made, name), row[name])
                made.save(update_fields=names)

    def _store_file(self, file: Any, name: str) -> None:
        if f"{FILES}/{name}" not in self.manifest.files:  # none, or deleted during the export
            file.name = ""
            return
        with (self.folder / FILES / name).open("rb") as source:
            file.save(PurePath(name).name, File(source), save=False)
        self.stored.append(file)

    def delete_files(self) -> None:
        """Delete the copied files."""
        for file in self.stored:
            file.storage.delete(file.name)

    def _read(self, label: str) -> Iterator[dict[str, Any]]:
        columns = self.manifest.columns.get(label)
        if columns:
            with (self.folder / ROWS / label).open(encoding="utf-8") as lines:
                for line in lines:
                    yield dict(zip(columns, json.loads(line), strict=True))

    def _match_accounts(self) -> dict[int, int]:
        """Find accounts by user name, and create inactive accounts for unknown names.

        One placeholder for all would mix the judgements of several people.
        """
        ids = {}
        for row in self._read("auth.User"):
            name = row["username"]
            if LimitedAccount.objects.filter(user__username=name).exists():
                raise BackupRefused(f"The account {name} here opens no study. Rename it first.")
            user = User.objects.filter(username=name).first()
            if user is None:
                user = User.objects.create_user(name, is_active=False)
                self.new_accounts.append(name)
            ids[row["id"]] = user.pk
        return ids

    def _match_workers(self) -> dict[int, int]:
        ids = {}
        for row in self._read("surveys.Worker"):
            old = row.pop("id")
            ids[old] = Worker.objects.get_or_create(**row)[0].pk
        return ids

    def _load_rows(self, model: type[Model], values: Mapping[str, Any]) -> OrderedIds:
        """Insert a model's rows in their order, with new ids, and given values of some fields."""
        ids = OrderedIds()
        columns = self.manifest.columns.get(model._meta.label)
        if not columns:
            return ids
        fields = [field for field in list_fields(model) if not field.primary_key]
        names = [field.attname for field in fields]
        readers = [
            (columns.index(field.attname), self._choose_reader(field, values)) for field in fields
        ]
        key, table = columns.index("id"), cast("Any", QuerySet(model))
        size = min(CHUNK, connection.ops.bulk_batch_size(fields, [None] * CHUNK))
        with (self.folder / ROWS / model._meta.label).open(encoding="utf-8") as lines:
            while rows := [json.loads(line) for line in islice(lines, size)]:
                made: list[Model] = [
                    model.from_db(None, names, [read(row[place]) for place, read in readers])
                    for row in rows
                ]
                new = table._insert(  # noqa: SLF001 # (the only insertion that keeps created_at)
                    made, fields=fields, returning_fields=[model._meta.pk], raw=True
                )
                for row, (pk,) in zip(rows, new, strict=True):
                    ids.add(row[key], pk)
        return ids

    def _choose_reader(
        self, field: "Field[Any, Any]", values: Mapping[str, Any]
    ) -> Callable[[Any], Any]:
        """Return a function from what the file has of a field to what is stored."""
        if field.name in values:
            return lambda _old: values[field.name]
        if isinstance(field, ForeignKey):
            ids = self.ids[field.related_model]
            return lambda old: None if old is None else _find(ids, old, field)
        if within := ids_within(field):
            return lambda value: self._renumber(value, within)
        return field.to_python if isinstance(field, WRITTEN_AS_TEXT) else lambda value: value

    def _renumber(self, value: Any, within: Mapping[str, type[Model]]) -> Any:
        """Replace the ids in a JSON object, or after the last colon of a text."""
        if isinstance(value, dict):
            return value | {
                key: self.ids[model].get(value[key])
                for key, model in within.items()
                if isinstance(value.get(key), int)
            }
        head, colon, old = value.rpartition(":")
        new = self.ids[within[""]].get(int(old)) if colon and old.isdecimal() else None
        return value if new is None else f"{head}{colon}{new}"


def _find(ids: NewIds, old: int, field: "Field[Any, Any]") -> int | None:
    new = ids.get(old)
    if new is None and not field.null:
        raise BackupRefused(f"The file is damaged: a row of {field.model._meta.label} is missing.")
    return new
