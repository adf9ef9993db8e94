"""Files of shared tasks that no row names: processes that were killed leave them."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path

from django.apps import apps
from django.conf import settings
from django.db.models import QuerySet

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
    stray = [path for path in old if f"{PRIVATE_FOLDER}/{path.name}" not in named]
    for path in stray:
        path.unlink(missing_ok=True)
    return len(stray)


def _list_old_files(now: datetime) -> Iterator[Path]:
    """Yield the files that have been on this disk for a day.

    Their inodes say so: the time of the last change of the content may come from another disk.
    """
    folder = Path(settings.MEDIA_ROOT) / PRIVATE_FOLDER
    until = (now - KEPT).timestamp()
    for path in folder.iterdir() if folder.is_dir() else ():
        try:
            is_old = path.stat().st_ctime < until
        except FileNotFoundError:  # deleted since it was listed
            continue
        if is_old:
            yield path


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
