from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

from surveys.models import Study

LONGEST_WORD = 50


def check_single_word(text: str) -> None:
    """Refuse what is not one word: several, or nothing with a letter in it."""
    if len(text.split()) > 1:
        raise ValidationError(_("Please write one word here, without spaces."))
    if not any(character.isalpha() for character in text):
        raise ValidationError(_("Please write a word here, with letters."))


class InspiredWordField(forms.CharField):
    """One word, trimmed."""

    def __init__(self, label: Any) -> None:
        super().__init__(
            label=label,
            max_length=LONGEST_WORD,
            validators=[check_single_word],
            error_messages={
                "required": _("Please write a word here."),
                "max_length": _("This is too long for one word."),
            },
        )
        self.widget.attrs |= {"autocomplete": "off", "autocapitalize": "none", "class": "word"}


class EngagementForm(forms.Form):
    """The two words that a text inspired."""

    inspired_word1 = InspiredWordField(_("First word"))
    inspired_word2 = InspiredWordField(_("Second word"))

    def clean(self) -> dict[str, Any]:
        words = super().clean() or {}
        first, second = words.get("inspired_word1"), words.get("inspired_word2")
        if first and second and first.casefold() == second.casefold():
            self.add_error("inspired_word2", _("Please write a second, different word."))
        return words

    def full_clean(self) -> None:
        """Check, and put the cursor into the first field with a fault."""
        super().full_clean()
        if faulty := [name for name in self.fields if name in self.errors]:
            self.fields[faulty[0]].widget.attrs["autofocus"] = True


class RatingForm(forms.Form):
    """A point of the study's scale."""

    rating = forms.TypedChoiceField(
        coerce=int,
        widget=forms.RadioSelect,
        error_messages={
            "required": _("Please choose a number."),
            "invalid_choice": _("Please choose one of the numbers."),
        },
    )

    def __init__(self, data: Any = None, *, study: Study) -> None:
        super().__init__(data)
        self.fields["rating"].choices = [(p, str(p)) for p in study.scale_points]  # type: ignore[attr-defined]
