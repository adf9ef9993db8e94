"""The forms of annotator pages, with their hidden fields."""

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any, cast

from django import forms
from django.core.exceptions import ValidationError
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from postprocess.designs.kinds import Item
from surveys.models.participation import (
    LONGEST_COMMENT,
    LONGEST_TRANSLATION,
    LONGEST_WORD,
    LONGEST_WRITTEN,
)
from surveys.models.study import ScaleLayout, write_point
from surveys.participation.answers import PageVisit, Written
from surveys.review.evidence import are_equal
from surveys.study.exercises import CheckQuestion
from surveys.study.languages import write_digits

CANNOT_JUDGE = "cannot"
SAME = "same"  # sent to confirm a translation that is equal to its word
WORDS = ("inspired_word1", "inspired_word2")
WRITTEN = ("written1", "written2")
NUMBER = re.compile(r"-?\d{1,3}(?:\.\d{1,2})?")
SIGNS = str.maketrans(",\N{ARABIC DECIMAL SEPARATOR}\N{MINUS SIGN}", "..-", "\u2066\u2069")
LONGEST_VISIT = timedelta(days=30)


def check_single_word(text: str) -> None:
    """Raise ValidationError unless a text is one word with a letter."""
    if len(text.split()) > 1:
        raise ValidationError(
            _("Just one word here, please. If two belong together, use a hyphen.")
        )
    is_readable = "\N{REPLACEMENT CHARACTER}" not in text  # replaces bytes that are not UTF-8
    if not is_readable or not any(character.isalpha() for character in text):
        raise ValidationError(_("Please write a word, using letters."))


class InspiredWordField(forms.CharField):
    """A single word, stripped of whitespace."""

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
        del self.widget.attrs["maxlength"]  # browsers would truncate silently
        self.widget.attrs |= {
            "autocomplete": "off", "autocorrect": "off", "autocapitalize": "none", "class": "word",
        }  # fmt: skip


class EngagementForm(forms.Form):
    """The engagement answer: two words that a text inspired."""

    inspired_word1 = InspiredWordField(_("First word"))
    inspired_word2 = InspiredWordField(_("Second word"))

    def __init__(self, data: Any = None, *, direction: str) -> None:
        super().__init__(data)
        for name, key in zip(WORDS, ("next", "send"), strict=True):
            self.fields[name].widget.attrs |= {"dir": direction, "enterkeyhint": key}

    def clean(self) -> dict[str, Any]:
        words = super().clean() or {}
        first, second = words.get("inspired_word1"), words.get("inspired_word2")
        if first and second and are_equal(first, second):
            self.add_error("inspired_word2", _("Please write a second, different word."))
        return words

    def full_clean(self) -> None:
        """Validate, and focus the first field with an error."""
        super().full_clean()
        if with_errors := [name for name in self.fields if name in self.errors]:
            self.fields[with_errors[0]].widget.attrs["autofocus"] = True


class CommentField(forms.CharField):
    """A text of some lines; a line break counts as one character, as in browsers."""

    def to_python(self, value: Any) -> str:
        return str(super().to_python(value)).replace("\r\n", "\n")


class RatingField(forms.CharField):
    """A point of the scale, chosen or written: with digits of any script, a comma or a point."""

    values: Sequence[str] = ()  # that a form accepts; choices would be copied for every form

    def to_python(self, value: Any) -> str:
        text = str(super().to_python(value)).strip().translate(SIGNS)
        return write_point(Decimal(text) + 0) if NUMBER.fullmatch(text) else text  # not "-0"

    def validate(self, value: Any) -> None:
        super().validate(value)
        if value and value not in self.values:
            raise ValidationError(self.error_messages["invalid_choice"], code="invalid_choice")


class WrittenField(forms.CharField):
    """A few words, with single spaces between them."""

    def __init__(self, label: Any, language: str, direction: str, longest: int) -> None:
        super().__init__(
            required=False,  # if the annotator cannot judge
            label=label,
            max_length=longest,
            error_messages={"max_length": _("This is too long. Please shorten it.")},
        )
        del self.widget.attrs["maxlength"]  # browsers would truncate silently
        self.widget.attrs |= {
            "lang": language, "dir": direction, "autocomplete": "off", "autocapitalize": "none",
            "class": "word",
        }  # fmt: skip

    def to_python(self, value: Any) -> str:
        return " ".join(str(super().to_python(value)).split())


class RatingForm(forms.Form):
    """A point of the study's scale, or "I cannot judge this", and two texts if it asks for some.

    `written_in` has language and direction of each text. Without points, the texts are the answer.
    """

    asks_same = False  # whether a translation equal to its word is to be confirmed
    rating = RatingField(
        error_messages={
            "required": _("Please choose a number from %(lowest)s to %(highest)s."),
            "invalid_choice": _("Please choose one of the numbers."),
        },
    )
    comment = CommentField(
        required=False,
        max_length=LONGEST_COMMENT,
        error_messages={"max_length": _("This is too long. Please shorten it.")},
    )

    def __init__(
        self,
        data: Any = None,
        *,
        points: Sequence[str],
        allows_unjudgeable: bool,
        shows_digits: bool = True,
        written_in: Sequence[tuple[str, str]] = (),
        initial: Any = None,
    ) -> None:
        super().__init__(data, initial=initial)
        rating = cast("RatingField", self.fields["rating"])
        rating.values = [*points, CANNOT_JUDGE] if allows_unjudgeable else points
        rating.required = bool(points)
        if not shows_digits:
            rating.error_messages["required"] = _("Please choose an answer.")
        elif points:
            ends = {"lowest": write_digits(points[0]), "highest": write_digits(points[-1])}
            rating.error_messages["required"] = rating.error_messages["required"] % ends
        for name, label, (language, direction) in zip(
            WRITTEN, (_("Text 1"), _("Text 2")), written_in, strict=False
        ):
            longest = LONGEST_WRITTEN if points else LONGEST_TRANSLATION
            self.fields[name] = WrittenField(label, language, direction, longest)

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        for field in self.written_fields:
            if cleaned.get("rating") == CANNOT_JUDGE:
                cleaned[field.name] = ""
            elif not cleaned.get(field.name) and not field.errors:
                self.add_error(field.name, _("Please write something here."))
        first, second = (cleaned.get(name, "") for name in WRITTEN)
        if self.is_translation and first and are_equal(first, second):
            self.add_error(WRITTEN[1], _("Please write a second, different word."))
        return cleaned

    def confirms(self, item: Item[Any]) -> bool:
        """Return whether a valid form says that a translation equal to its word is meant.

        If it does not, the annotator is asked. True without such a translation.
        """
        asked = _(
            "This is the word itself. If it stays the same in this language, as names often do, "
            "confirm it below."
        )
        if self.is_translation and SAME not in self.data:
            for name, word in zip(WRITTEN, (item.word1, item.word2), strict=True):
                if are_equal(self.cleaned_data[name], word):
                    self.asks_same = True
                    self.add_error(name, asked)
        return not self.asks_same

    @property
    def is_translation(self) -> bool:
        """Return whether the two texts are the answer."""
        return bool(self.written_fields) and not self.fields["rating"].required

    @property
    def written_fields(self) -> list[forms.BoundField]:
        """Return the fields for two texts, or none."""
        return [self[name] for name in WRITTEN if name in self.fields]

    @property
    def given_rating(self) -> Decimal | None:
        """Return the rating of a valid form, or None for "I cannot judge this"."""
        chosen = self.cleaned_data["rating"]
        return None if chosen in (CANNOT_JUDGE, "") else Decimal(chosen)

    @property
    def given_texts(self) -> Written | None:
        """Return the two texts of a valid form, if it asks for some and the annotator can judge."""
        first, second = (self.cleaned_data.get(name, "") for name in WRITTEN)
        return (first, second) if first else None


def is_complete(form: forms.Form, item: Item[Any]) -> bool:
    """Return whether a form is valid, and its translations of an item are confirmed if need be."""
    return form.is_valid() and (not isinstance(form, RatingForm) or form.confirms(item))


class CheckForm(forms.Form):
    """The comprehension check: single-choice questions.

    `text` is the version of the check that was shown, `n_tries` the number of tries used then.
    """

    text = forms.IntegerField()
    n_tries = forms.IntegerField()
    is_judged = False  # if so, the errors at questions are texts of the study

    def __init__(self, data: Any = None, *, questions: Sequence[CheckQuestion]) -> None:
        super().__init__(data)
        self.asked = questions
        for number, question in enumerate(questions):
            self.fields[f"question{number}"] = forms.TypedChoiceField(
                label=question.question,
                coerce=int,
                choices=list(enumerate(question.answers)),
                widget=forms.RadioSelect,
                error_messages={"required": _("Please choose an answer.")},
            )

    @property
    def given_answers(self) -> list[int]:
        """Return the index of the answer to each question of a valid form."""
        return [self.cleaned_data[f"question{number}"] for number in range(len(self.asked))]

    @property
    def questions(self) -> list[forms.BoundField]:
        """Return the fields of the questions."""
        return [self[f"question{number}"] for number in range(len(self.asked))]

    @property
    def first_fault(self) -> str:
        """Return the id of the first question with an error, or nothing."""
        return next((field.auto_id for field in self.questions if field.errors), "")

    def refuse(self, wrong: Iterable[int]) -> None:
        """Add an explanation to the wrongly answered questions of a valid form."""
        self.is_judged = True
        for number in wrong:
            self.add_error(f"question{number}", self.asked[number].why)


def read_visit(sent: Mapping[str, str]) -> PageVisit:
    """Return when, how long and how a page was seen, as its hidden fields say, if possible."""
    now, layout = timezone.now(), sent.get("layout", "")
    layout = layout if layout in ScaleLayout else ""
    shown_at = _read_instant(sent.get("shown", ""))
    if shown_at is None or not now - LONGEST_VISIT <= shown_at <= now:
        return PageVisit(layout=layout)
    visible = _read_number(sent.get("visible", ""))
    if visible is None or not 0 <= visible <= (now - shown_at).total_seconds() + 1:
        return PageVisit(shown_at, layout=layout)
    return PageVisit(shown_at, visible, layout)


def read_pasted(sent: Mapping[str, str]) -> tuple[bool, bool]:
    """Return for each of the two word fields whether something was pasted."""
    fields = sent.get("pasted", "").split()
    return WORDS[0] in fields, WORDS[1] in fields


def repeat_visit(sent: Mapping[str, str]) -> dict[str, str]:
    """Return the hidden fields of a refused form, with the valid values sent so far."""
    visit = read_visit(sent)
    pasted = [name for name, was in zip(WORDS, read_pasted(sent), strict=True) if was]
    fields = {"pasted": " ".join(pasted)}
    if visit.shown_at:
        fields["shown"] = str(round(visit.shown_at.timestamp() * 1000))
    if visit.visible_seconds is not None:
        fields["visible"] = f"{visit.visible_seconds:.1f}"
    return fields


def _read_instant(text: str) -> datetime | None:
    milliseconds = _read_number(text)
    if milliseconds is None or not 0 <= milliseconds < 1e14:
        return None
    return datetime.fromtimestamp(milliseconds / 1000, UTC)


def _read_number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None
