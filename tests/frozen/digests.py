"""The digests that outputs had when they were frozen, and how they are frozen again."""

import hashlib
import json
import os
from collections.abc import Mapping
from pathlib import Path

FOLDER = Path(__file__).parent


def check_frozen(subject: str, outputs: Mapping[str, bytes]) -> None:
    """Fail unless outputs have the digests stored in `<subject>.json`.

    With FREEZE=1 in the environment the digests are stored instead.
    """
    path = FOLDER / f"{subject}.json"
    digests = {name: hashlib.sha256(content).hexdigest()[:16] for name, content in outputs.items()}
    if os.environ.get("FREEZE") == "1":
        path.write_text(json.dumps(digests, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    frozen = json.loads(path.read_text(encoding="utf-8"))
    changed = [name for name in digests | frozen if digests.get(name) != frozen.get(name)]
    assert not changed, f"Not as frozen: {', '.join(sorted(changed))}"


def read_folder(folder: Path, prefix: str = "") -> dict[str, bytes]:
    """Return the contents of all files below a folder by their relative names."""
    return {
        f"{prefix}{path.relative_to(folder).as_posix()}": path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }
