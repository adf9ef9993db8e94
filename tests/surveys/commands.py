"""How tests run a management command."""

import io
from pathlib import Path

from django.core.management import call_command


def run(*arguments: str | Path) -> tuple[str, str]:
    """What a command writes on its two streams."""
    out, err = io.StringIO(), io.StringIO()
    call_command(*map(str, arguments), stdout=out, stderr=err, no_color=True)
    return out.getvalue(), err.getvalue()
