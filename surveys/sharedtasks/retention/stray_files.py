"""Files of shared tasks that no row names: processes that were killed leave them."""

from collections.abc import Iterator
from datetime import datetime, timedelta

from django.apps import apps
from django.core.files.storage import default_storage
from django.db.models import QuerySet

from surveys.operations.stored_files import list_files
from surveys.sharedtasks.feature import FEATURE
from surveys.sharedtasks.models import Scoring
from surveys.sharedtasks.models.tasks import PRIVATE_FOLDER

KEPT = timedelta(days=1)  # longer than any process takes to commit the row of a file
# Uploads come first: a submission takes over the file of an upload, which can be deleted then.
NAMING: dict[str, tuple[str, ...]] = {"sharedtasks.Upload": ("file",), **FEATURE.files}


def drop_stray_files(now: datetime) -> int:
    """Delete the files of shared tasks older than a day that no row names; return their number.

    A file is written before its row is committed, so that a younger one may still get its row.
    """
    old = list(_list_old_files(now))  # before the rows are read
    named = _list_named_files() if old else set()
    stray = [name for name in old if name not in named]
    for name in stray:
        default_storage.delete(name)
    return len(stray)


def _list_old_files(now: datetime) -> Iterator[str]:
    """Yield the names of the files that have been stored for a day.

    Of a file on a disk the inode says so, since the time of the last change of its content may
    come from another disk.
    """
    for name in list_files(f"{PRIVATE_FOLDER}/"):
        try:
            stored_at = _find_instant(name)
        except FileNotFoundError:  # deleted since it was listed
            continue
        if stored_at < now - KEPT:
            yield name


def _find_instant(name: str) -> datetime:
    try:
        return default_storage.get_created_time(name)
    except NotImplementedError:  # a bucket knows when a file was stored last
        return default_storage.get_modified_time(name)


def _list_named_files() -> set[str]:
    named = {
        str(name)
        for model, fields in NAMING.items()
        for row in QuerySet(apps.get_model(model)).values_list(*fields)
        for name in row
    }
    for corrected in Scoring.objects.values_list("gold_files", flat=True):
        named |= set(corrected.values())
    return named
