"""A fresh copy of the repository, with the environment and the translations set up."""

import shutil
import sys
from importlib.util import cache_from_source
from pathlib import Path

from tests.documents.reading import tracked_files
from tests.machine import ROOT


def copy_repository(folder: Path) -> Path:
    """Copy all committed files and what was compiled of them, and link the virtual environment.

    Returns the folder.
    """
    sources = [ROOT / name for name in tracked_files()]
    modules = (Path(cache_from_source(source)) for source in sources if source.suffix == ".py")
    for file in filter(Path.exists, (*sources, *modules, *(ROOT / "locale").rglob("*.mo"))):
        copy = folder / file.relative_to(ROOT)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(file, copy)  # with its time: a module that is newer is compiled again
    (folder / ".venv").symlink_to(sys.prefix)
    return folder
