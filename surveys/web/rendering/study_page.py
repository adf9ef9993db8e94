"""What all annotator pages of a study share: scale, languages, instructions."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache

from babel import Locale
from django.utils import translation
from django.utils.safestring import SafeString

from surveys.models import Study, StudyText, TextKind
from surveys.models.study import Question, ScaleLayout, Writes, write_point
from surveys.study.languages import name_language, write_digits
from surveys.study.planning.durations import Times, times_of
from surveys.study.rules import CACHE_SIZE, study_rules_of
from surveys.study.texts import interface_of, label_ends, read_texts
from surveys.web.rendering.markdown import MAX_POINTS, render_markdown

NARROWEST = 288  # pixels that a screen of 320 leaves for a line of points
CHARACTER = 7  # pixels of a number in it, at its smallest
FEW_POINTS, SHORT = 7, 2  # points, and characters of a number, that fit at its usual size


@dataclass(frozen=True)
class ScalePoint:
    """A scale point with its label and the label's language."""

    value: str
    label: str
    language: str


@dataclass(frozen=True)
class StudyDisplay:
    """What all annotator pages of a study share, built once per revision of the study."""

    study: Study
    interface: str
    text_language: str
    text_direction: str
    text_language2: str  # of word 2
    text_direction2: str
    language2_name: str  # in the interface's language
    scale: tuple[ScalePoint, ...]  # as shown: answers in words begin with the highest
    instructions: "RenderedText"
    times: Times

    @property
    def interface_direction(self) -> str:
        """Return the writing direction of the interface: ltr or rtl."""
        return direction_of(self.interface)

    @property
    def lowest(self) -> ScalePoint:
        """Return the low end of the scale."""
        return self.scale[0]

    @property
    def highest(self) -> ScalePoint:
        """Return the high end of the scale."""
        return self.scale[-1]

    @property
    def step(self) -> str:
        """Return the distance between two points of the scale."""
        return write_point(self.study.scale_step)

    @property
    def keypad(self) -> str:
        """Return the keypad of a phone on which every point can be typed (`inputmode`)."""
        if self.lowest.value.startswith("-"):
            return "text"  # number pads of phones may lack the minus
        return "decimal" if any("." in point.value for point in self.scale) else "numeric"

    @property
    def asks_rating(self) -> bool:
        """Return whether annotators choose a point of the scale."""
        return self.study.writes != Writes.TRANSLATIONS

    @property
    def described_by(self) -> str:
        """Return the ids of what screen readers read with the scale: sentences with targets."""
        return " ".join(("marked", "marked2")[: self.study.kind.n_texts])

    @property
    def asks_words(self) -> bool:
        """Return whether annotators write words on the page with the scale, or in its place."""
        return self.study.writes in {Writes.SUBSTITUTES, Writes.TRANSLATIONS}

    @property
    def shows_digits(self) -> bool:
        """Return whether points are shown as numbers, with their labels, not as labels alone."""
        return self.study.question != Question.SAME_MEANING

    def name_point(self, value: str) -> str:
        """Return a point as annotators see it: digits of the language, or its label."""
        if self.shows_digits:
            return write_digits(value)
        return next((point.label for point in self.scale if point.value == value), value)

    @property
    def labels_points_between(self) -> bool:
        """Return whether other points than the ends of the scale have labels."""
        return any(point.label for point in self.scale[1:-1])

    @property
    def layout(self) -> str:
        """Return the `ScaleLayout`, the same on every screen; a script adds the slider."""
        if not self.shows_digits:
            return ScaleLayout.COLUMN
        if len(self.scale) > MAX_POINTS:
            return ScaleLayout.FIELD
        fits = len(self.scale) * (self._longest * CHARACTER + 2) <= NARROWEST
        return ScaleLayout.ROW if fits and not self.labels_points_between else ScaleLayout.COLUMN

    @property
    def is_tight(self) -> bool:
        """Return whether the numbers of a row have to be small on narrow screens."""
        return len(self.scale) > FEW_POINTS or self._longest > SHORT

    @property
    def _longest(self) -> int:
        return max(len(point.value) for point in self.scale)

    @property
    def digit_keys(self) -> str:
        """Return the digits that choose a point each; empty if a point has several characters."""
        points = [point.value for point in self.scale]
        return "".join(points) if all(len(point) == 1 for point in points) else ""

    @property
    def sends_choice(self) -> bool:
        """Return whether choosing a point sends it after a moment; a number is typed instead."""
        is_shown = self.layout != ScaleLayout.FIELD and not self.asks_words
        return self.study.sends_choice and is_shown


@dataclass(frozen=True)
class RenderedText:
    """A text of a study as HTML, with its language and direction."""

    html: SafeString
    language: str
    direction: str
    version: int | None  # its id; None for a default that is not stored


@lru_cache(maxsize=CACHE_SIZE)
def display_of(study_id: int, revision: str) -> StudyDisplay:
    """Return what the pages of a study share in a revision (cached)."""
    rules = study_rules_of(study_id, revision)
    times = times_of(rules.study, rules.texts)
    instructions = rules.texts[TextKind.INSTRUCTIONS]
    return _make_face(rules.study, rules.scale_points, instructions, times)


def preview_display(study: Study) -> StudyDisplay:
    """Return the same for an unsaved state of a study; stores nothing, not even default texts."""
    texts = read_texts(study)
    return _make_face(
        study, tuple(study.scale_points), texts[TextKind.INSTRUCTIONS], times_of(study, texts)
    )


def _make_face(
    study: Study, points: tuple[Decimal, ...], instructions: StudyText, times: Times
) -> StudyDisplay:
    interface, ends, given = interface_of(study), label_ends(study), study.scale_labels
    with translation.override(interface):
        shown = render_text(study, instructions, points)  # with digits of the language
    language2 = study.language2 or study.language
    listed = reversed(points) if study.question == Question.SAME_MEANING else points
    return StudyDisplay(
        study=study,
        interface=interface,
        text_language=study.language,
        text_direction=direction_of(study.language),
        text_language2=language2,
        text_direction2=direction_of(language2),
        language2_name=name_language(language2, interface.partition("-u-")[0]) or language2,
        scale=tuple(
            ScalePoint(value, given[value], study.language)
            if value in given
            else ScalePoint(value, ends.get(value, ""), interface)
            for value in map(write_point, listed)
        ),
        instructions=shown,
        times=times,
    )


def render_text(study: Study, text: StudyText, scale: Sequence[Decimal] = ()) -> RenderedText:
    """Return a text as HTML, in its own language or else the study's.

    With the points of the scale, examples in the text are shown on it.
    """
    language = text.language or study.language
    return RenderedText(
        render_markdown(text.body, scale), language, direction_of(language), text.pk
    )


def direction_of(language: str) -> str:
    """Return the writing direction of a language: ltr or rtl."""
    return Locale.parse(language.partition("-u-")[0], sep="-").text_direction  # without digits


def activate_language(face: StudyDisplay) -> None:
    """Activate the study's language if the interface is translated into it, else the site's."""
    translation.activate(face.interface)
