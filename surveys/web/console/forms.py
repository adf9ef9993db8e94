from collections.abc import Callable
from http import HTTPStatus
from typing import Any, TypeVar

from django import forms
from django.contrib.auth.models import User
from django.http import HttpRequest

from surveys.access.roles import find_account
from surveys.errors import AccessRefused, SurveyError
from surveys.models import Role

UNREADABLE = "\N{REPLACEMENT CHARACTER}"  # of invalid UTF-8
Row = TypeVar("Row", bound=forms.Form)


def posted(request: HttpRequest) -> Any:
    """Return the data of a POST, even if empty; None for a GET."""
    return request.POST if request.method == "POST" else None


def attempt(form: forms.Form, action: Callable[[], Any]) -> bool:
    """Run the action of a valid form; return whether it succeeded. A form is valid only if sent.

    Each line of a SurveyError becomes an error of the form.
    """
    if not form.is_valid() or _refuse_unreadable(form):
        return False
    try:
        action()
    except SurveyError as error:
        for line in str(error).splitlines():
            form.add_error(None, line)
        return False
    return True


def status_of(*shown: forms.BaseForm) -> int:
    """Return the HTTP status of a page that shows these forms: 422 if one of them has errors."""
    return HTTPStatus.UNPROCESSABLE_ENTITY if any(form.errors for form in shown) else HTTPStatus.OK


def _refuse_unreadable(form: forms.Form) -> bool:
    """Add an error to each field whose text was not valid UTF-8."""
    sent = {name: str(form.data.get(form.add_prefix(name))) for name in form.fields}
    found = [name for name, text in sent.items() if UNREADABLE in text]
    for name in found:
        form.add_error(name, f"Part of this could not be read ({UNREADABLE}); enter it again.")
    return bool(found)


class RowForm(forms.Form):
    """A form of a formset, such as an author or a question; fields must be readable texts."""

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        _refuse_unreadable(self)
        return cleaned


def name_rows(rows: "forms.BaseFormSet[Row]", name: str) -> list[tuple[str, Row]]:
    """Return the forms of a formset with their names; the last is the one to add."""
    article = "an" if name[0] in "AEIOU" else "a"
    names = [f"{name} {number}" for number in range(1, len(rows.forms))]
    return list(zip([*names, f"Add {article} {name.lower()}"], rows.forms, strict=False))


class MemberForm(forms.Form):
    """The role of an account in a study."""

    username = forms.CharField(max_length=150, label="Name of the account")
    role = forms.ChoiceField(
        choices=Role.choices, widget=forms.RadioSelect, initial=Role.RESEARCHER
    )

    def clean_username(self) -> User:
        try:
            return find_account(self.cleaned_data["username"])
        except AccessRefused as error:
            raise forms.ValidationError(str(error)) from error


class InviteForm(forms.Form):
    """The name of a new account, and its role in a study."""

    username = forms.CharField(max_length=150, label="Name of the new account")
    role = forms.ChoiceField(
        choices=Role.choices, widget=forms.RadioSelect, initial=Role.RESEARCHER
    )
