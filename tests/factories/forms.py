"""What a browser sends for a form of the console."""

from collections.abc import Iterable, Mapping
from typing import Any

from django import forms


def fill_in(shown: Iterable[forms.BaseForm], changed: Mapping[str, Any]) -> dict[str, str]:
    """Return what forms send as they are shown, with some fields changed.

    Two underscores in a name of `changed` stand for the hyphen after a prefix.
    """
    values = {
        form.add_prefix(name): form[name].value() for form in shown for name in form.fields
    } | {name.replace("__", "-"): value for name, value in changed.items()}
    return {
        name: str(value)
        for name, value in values.items()
        if value is not None and value is not False
    }
