"""Small files in VAR_DIR that processes of one site share, though they may start at once."""

import fcntl
import secrets
from pathlib import Path
from tempfile import NamedTemporaryFile


def keep_secret(path: Path) -> str:
    """The secret in a file that its owner alone may read; made by whoever comes first."""
    path.touch(mode=0o600)
    return path.read_text() or _make_secret(path)


def _make_secret(path: Path) -> str:
    with path.open("r+") as file:
        fcntl.flock(file, fcntl.LOCK_EX)  # until it is closed
        if not (secret := file.read()):
            secret = secrets.token_urlsafe(50)
            file.write(secret)
    return secret


def keep_line(path: Path, line: str) -> None:
    """Put a line in a file in place of what it held; others read the one or the other, whole."""
    with NamedTemporaryFile("w", dir=path.parent, prefix=path.name, delete=False) as file:
        file.write(f"{line}\n")
    Path(file.name).replace(path)
