"""Run management commands in tests."""

import io
from pathlib import Path

from django.core.management import call_command


def run(*arguments: str | Path) -> tuple[str, str]:
    """Return what a command writes to standard output and standard error."""
    out, err = io.StringIO(), io.StringIO()
    call_command(*map(str, arguments), stdout=out, stderr=err, no_color=True)
    return out.getvalue(), err.getvalue()
