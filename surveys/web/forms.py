"""What the forms of all pages share: bound only if sent, errors of actions, the HTTP status."""

from collections.abc import Callable
from copy import copy
from http import HTTPStatus
from typing import Any

from django import forms
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.http import HttpRequest

from surveys.errors import SurveyError

UNREADABLE = "\N{REPLACEMENT CHARACTER}"  # of invalid UTF-8


def make_field(field: "models.Field[Any, Any]", **options: Any) -> forms.Field | None:
    """Return the form field of a model's field, with the limits that its validators have."""
    options["show_hidden_initial"] = False  # as a default that is a function would have it
    for validator in field.validators:
        if isinstance(validator, MinValueValidator):
            options.setdefault("min_value", validator.limit_value)
        elif isinstance(validator, MaxValueValidator):
            options.setdefault("max_value", validator.limit_value)
    formfield: forms.Field | None = field.formfield(**options)
    return formfield


class SettingsForm(forms.ModelForm):  # type: ignore[type-arg]
    """A form of a model's fields. It never saves: its view hands `cleaned_data` to an action."""

    class Meta:
        formfield_callback = make_field

    def __init__(self, data: Any = None, files: Any = None, *, instance: models.Model) -> None:
        super().__init__(data, files, instance=copy(instance))  # which validation changes

    def clean(self) -> dict[str, Any]:
        """Skip Django's queries for uniqueness and constraints: the actions lock and check."""
        return self.cleaned_data


def posted(request: HttpRequest) -> Any:
    """Return the data of a POST, even if empty; None for a GET."""
    return request.POST if request.method == "POST" else None


def attempt(form: forms.BaseForm, action: Callable[[], Any]) -> bool:
    """Run the action of a valid form; return whether it succeeded. A form is valid only if sent.

    Each line of a SurveyError becomes an error of the form.
    """
    if not form.is_valid() or refuse_unreadable(form):
        return False
    try:
        action()
    except SurveyError as error:
        for line in str(error).splitlines():
            form.add_error(None, line)
        return False
    return True


def status_of(*shown: forms.BaseForm) -> int:
    """Return the HTTP status of a page that shows these forms: 422 if a form has errors."""
    return HTTPStatus.UNPROCESSABLE_ENTITY if any(form.errors for form in shown) else HTTPStatus.OK


def refuse_unreadable(form: forms.BaseForm) -> bool:
    """Add an error to each field whose text was not valid UTF-8."""
    sent = {name: str(form.data.get(form.add_prefix(name))) for name in form.fields}
    unreadable = [name for name, text in sent.items() if UNREADABLE in text]
    for name in unreadable:
        form.add_error(name, f"Part of this could not be read ({UNREADABLE}); enter it again.")
    return bool(unreadable)
