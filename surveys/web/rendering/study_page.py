"""What every page of a study shows alike: scale, languages, instructions."""

from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache

from babel import Locale
from django.utils import translation
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from surveys.models import Study, StudyText, TextKind
from surveys.models.study import write_point
from surveys.study.durations import Times, as_minutes, times_of
from surveys.study.protocol import MOST_KEPT, protocol_of
from surveys.study.texts import interface_of, read_texts
from surveys.web.rendering.markdown import render_markdown


@dataclass(frozen=True)
class ScalePoint:
    """A point of the scale as pages show it, with the language of its label."""

    value: str
    label: str
    language: str


@dataclass(frozen=True)
class Face:
    """What every page of a study shows alike, made once for a revision of the study."""

    study: Study
    interface: str
    text_language: str
    text_direction: str
    scale: tuple[ScalePoint, ...]
    instructions: "RenderedText"
    times: Times

    @property
    def interface_direction(self) -> str:
        """The way the interface is written."""
        return direction_of(self.interface)

    @property
    def has_many_labels(self) -> bool:
        """Whether more than the two ends of the scale are named."""
        return sum(bool(point.label) for point in self.scale) > 2

    @property
    def digit_keys(self) -> str:
        """Return the digits that each choose a point; empty if any point is more than a digit."""
        points = [point.value for point in self.scale]
        return "".join(points) if all(len(point) == 1 for point in points) else ""

    def count_minutes(self, n_pages: int) -> int:
        """Return about how many minutes that many pages of items take."""
        return as_minutes(n_pages * self.times.item / 2)


@dataclass(frozen=True)
class RenderedText:
    """A text of a study as HTML, with the language it is in."""

    html: SafeString
    language: str
    direction: str


@lru_cache(maxsize=MOST_KEPT)
def face_of(study_id: int, revision: str) -> Face:
    """What the pages of a study show alike as of a revision."""
    protocol = protocol_of(study_id, revision)
    times = times_of(protocol.study, protocol.texts)
    instructions = protocol.texts[TextKind.INSTRUCTIONS]
    return _make_face(protocol.study, protocol.scale_points, instructions, times)


def preview_face(study: Study) -> Face:
    """As `face_of`, of a study as it would be; stores nothing, not even a default text."""
    texts = read_texts(study)
    return _make_face(
        study, tuple(study.scale_points), texts[TextKind.INSTRUCTIONS], times_of(study, texts)
    )


def _make_face(
    study: Study, points: tuple[Decimal, ...], instructions: StudyText, times: Times
) -> Face:
    interface = interface_of(study)
    with translation.override(interface):
        ends = {points[0]: _("not similar at all"), points[-1]: _("nearly the same")}
    given = study.scale_labels
    return Face(
        study=study,
        interface=interface,
        text_language=study.language,
        text_direction=direction_of(study.language),
        scale=tuple(
            ScalePoint(value, given[value], study.language)
            if value in given
            else ScalePoint(value, ends.get(point, ""), interface)
            for point, value in zip(points, map(write_point, points), strict=True)
        ),
        instructions=render_text(study, instructions),
        times=times,
    )


def render_text(study: Study, text: StudyText) -> RenderedText:
    """A text as HTML, in the language of the study unless it says another."""
    language = text.language or study.language
    return RenderedText(render_markdown(text.body), language, direction_of(language))


def direction_of(language: str) -> str:
    """The way a language is written: ltr or rtl."""
    return Locale.parse(language, sep="-").text_direction


def speak(face: Face) -> None:
    """Use the interface in the study's language where it is translated, else the site's."""
    translation.activate(face.interface)
