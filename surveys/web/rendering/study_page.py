"""What all annotator pages of a study share: scale, languages, instructions."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache

from babel import Locale
from django.utils import translation
from django.utils.safestring import SafeString

from surveys.models import Study, StudyText, TextKind
from surveys.models.study import write_point
from surveys.study.planning.durations import Times, times_of
from surveys.study.protocol import CACHE_SIZE, protocol_of
from surveys.study.texts import interface_of, label_ends, read_texts
from surveys.web.rendering.markdown import render_markdown

MAX_POINTS = 12  # that are shown one by one
MAX_COLUMNS, LONGEST_WORD = 7, 10  # points side by side with a label each; letters of a word
FEW_POINTS = 4  # whose columns are so wide that the labels of both ends fit


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
    scale: tuple[ScalePoint, ...]
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
    def labels_points_between(self) -> bool:
        """Return whether other points than the ends of the scale have labels."""
        return any(point.label for point in self.scale[1:-1])

    @property
    def layout(self) -> str:
        """Return how the points are laid out.

        `line`: a field for the number, with a slider. `list`: one point in a row, with its label.
        `columns`: side by side, each with its label; a list on phones. `ends`: side by side, with
        labels below the ends.
        """
        if len(self.scale) > MAX_POINTS:
            return "line"
        words = [word for point in self.scale for word in point.label.split()]
        fits = len(self.scale) <= MAX_COLUMNS and max(map(len, words), default=0) <= LONGEST_WORD
        if self.labels_points_between:
            return "columns" if fits else "list"
        return "columns" if len(self.scale) <= FEW_POINTS and fits else "ends"

    @property
    def digit_keys(self) -> str:
        """Return the digits that choose a point each; empty if a point has several characters."""
        points = [point.value for point in self.scale]
        return "".join(points) if all(len(point) == 1 for point in points) else ""

    @property
    def sends_choice(self) -> bool:
        """Return whether choosing a point sends it after a moment; a number is typed instead."""
        return self.study.sends_choice and self.layout != "line"


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
    protocol = protocol_of(study_id, revision)
    times = times_of(protocol.study, protocol.texts)
    instructions = protocol.texts[TextKind.INSTRUCTIONS]
    return _make_face(protocol.study, protocol.scale_points, instructions, times)


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
    return StudyDisplay(
        study=study,
        interface=interface,
        text_language=study.language,
        text_direction=direction_of(study.language),
        scale=tuple(
            ScalePoint(value, given[value], study.language)
            if value in given
            else ScalePoint(value, ends.get(value, ""), interface)
            for value in map(write_point, points)
        ),
        instructions=render_text(study, instructions, points),
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
    return Locale.parse(language, sep="-").text_direction


def activate_language(face: StudyDisplay) -> None:
    """Activate the study's language if the interface is translated into it, else the site's."""
    translation.activate(face.interface)
