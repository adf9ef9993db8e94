"""A fresh copy of the repository, with the environment and the translations set up."""

import shutil
from pathlib import Path

from tests.documents.reading import ROOT, tracked_files


def copy_repository(folder: Path) -> Path:
    """Copy all committed files, and link the virtual environment; return the folder."""
    for name in tracked_files():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, folder / name)
    for compiled in (ROOT / "locale").rglob("*.mo"):
        shutil.copy(compiled, folder / compiled.relative_to(ROOT))
    (folder / ".venv").symlink_to(ROOT / ".venv")
    return folder
