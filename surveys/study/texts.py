"""Texts of a study that annotators read: its own versions, or the defaults of its language."""

import tomllib
from collections.abc import Collection
from pathlib import Path
from typing import NamedTuple

from django.conf import settings
from django.db import transaction
from django.utils import translation
from django.utils.translation import gettext

from postprocess.designs.kinds import ItemRules
from surveys.access.audit_log import record
from surveys.errors import TextChanged, TextRefused
from surveys.models import Study, StudyText, TextKind, Variant
from surveys.models.study import OWN, Question, write_point
from surveys.study.exercises import OF_COSIMLEX, read_check, read_practice
from surveys.study.languages import USUAL_DIGITS
from surveys.study.letters import check_letter
from surveys.study.scale_examples import check_scale_examples
from surveys.study.text_rows import write_rows

DEFAULTS = Path(__file__).parent / "default_texts"
OTHER = "other"  # in place of a language that has no defaults; in English
LONGEST_TEXT = 20_000
FILES = {
    TextKind.CONSENT: "consent.md",
    TextKind.INSTRUCTIONS: "instructions.md",
    TextKind.PRACTICE: "practice.toml",
    TextKind.CHECK: "check.toml",
    TextKind.INVITATION: "invitation.txt",
    TextKind.REMINDER: "reminder.txt",
}
IN_TWO = "practice_in_two.toml"
TEXT = "text"  # the set of texts for two words in one text; each variant of it has a folder
MAY_BE_EMPTY = {TextKind.PRACTICE, TextKind.CHECK}  # the survey then has none


class DefaultText(NamedTuple):
    """A default text; `language` is empty if the text is in the language asked for."""

    body: str
    variant: str
    language: str = ""


def current_text(study: Study, kind: TextKind) -> StudyText:
    """Return the version that annotators read now; version 1 is the default of the language."""
    return current_texts(study, [kind])[kind]


def read_text(study: Study, kind: TextKind) -> StudyText:
    """Return the current text as `current_text` does, without storing an unused default."""
    return read_texts(study, [kind])[kind]


def current_texts(study: Study, kinds: Collection[TextKind]) -> dict[TextKind, StudyText]:
    """Return the texts of some kinds as `current_text` does, in one query if all are stored."""
    texts = read_texts(study, kinds)
    if missing := [text for text in texts.values() if text.pk is None]:
        StudyText.objects.bulk_create(missing, ignore_conflicts=True)  # another may store them, too
        texts = read_texts(study, kinds)
    return texts


def read_texts(
    study: Study, kinds: Collection[TextKind] = tuple(TextKind)
) -> dict[TextKind, StudyText]:
    """Return the current texts of some kinds, as `read_text` does; one query.

    A study that is not stored yet has the defaults.
    """
    stored = StudyText.objects.filter(study_id=study.pk, kind__in=kinds).order_by("version")
    latest = {TextKind(text.kind): text for text in stored}
    return {kind: latest.get(kind) or _first_text(study, kind) for kind in kinds}


def _first_text(study: Study, kind: TextKind) -> StudyText:
    default = _default_of(study, kind, study.variant)
    return StudyText(study=study, kind=kind, version=1, **default._asdict())


def refuse_outdated(shown: object, current: object) -> None:
    """Raise TextChanged if the annotator was shown something else than the current text."""
    if shown is not None and shown != current:
        message = gettext("This page has changed since you opened it. Please read it again.")
        raise TextChanged(message)


def default_text(
    language: str, kind: TextKind, variant: str = Variant.PLAIN, text_set: str = TEXT
) -> DefaultText:
    """Return the default text for a language in a variant, or the English one.

    `text_set` is that of the study's design; only `text` has variants. Kinds with examples in the
    language (practice, check) are empty instead of English.
    """
    folder = variant if text_set == TEXT else text_set
    body = _read_default(language.split("-")[0], kind, folder)
    if body is not None or kind in MAY_BE_EMPTY:
        return DefaultText(body or "", variant)
    neutral = _read_default(OTHER, kind, folder)
    english = _read_default("en", kind, folder) if neutral is None else neutral
    return DefaultText(str(english), variant, settings.LANGUAGE_CODE)


def _default_of(study: Study, kind: TextKind, variant: str) -> DefaultText:
    """Return a study's default text; practice is in both of its languages if they have items."""
    if kind == TextKind.PRACTICE and (body := _practise_in_two(study)):
        return DefaultText(body, variant)
    return default_text(study.language, kind, variant, study.text_set)


def _practise_in_two(study: Study) -> str:
    """Return practice items in a study's two languages, or an empty text if there are none."""
    tags, text_set = (study.language, study.language2), study.text_set
    paths = [DEFAULTS / tag.split("-")[0] / IN_TWO for tag in tags if tag]
    if len(paths) == 1 or not all(path.exists() for path in paths):
        return ""
    first, second = (tomllib.loads(path.read_text(encoding="utf-8")) for path in paths)
    closing = first["closing"].get(text_set, first["closing"]["scale"])
    rows = []
    for item, other in zip(first["items"], second["items"], strict=True):
        if text_set in item["sets"]:
            low, high = item["ours"]
            explanation = f"{item['explanation']} {closing[low > 100 - high]}"
            row = {**item, "explanation": explanation, "lowest": low, "highest": high}
            row |= {name: other[name] for name in ("word2", "text2")}
            rows.append({**row, "text1": "", "text2": ""} if text_set == "words" else row)
    return write_rows(TextKind.PRACTICE, rows)


def _read_default(language: str, kind: TextKind, folder: str) -> str | None:
    """Return the text of a file, or None if the language has none; folders share some kinds."""
    for path in (DEFAULTS / language / place / FILES[kind] for place in (folder, "")):
        if path.exists():
            return path.read_text(encoding="utf-8")
    return None


def default_body(
    language: str, kind: TextKind, variant: str = Variant.PLAIN, text_set: str = TEXT
) -> str:
    """Return the body of the default text for a language in a variant, as `default_text` does."""
    return default_text(language, kind, variant, text_set).body


def has_default_texts(language: str) -> bool:
    """Return whether there are default texts in the language itself."""
    return (DEFAULTS / language.split("-")[0] / FILES[TextKind.CONSENT]).exists()


def interface_of(study: Study) -> str:
    """Return the language of the interface: the study's if it is translated, else the site's.

    Other digits than those usual in a language that has a choice are part of it: `ar-u-nu-arab`.
    """
    language = study.language.split("-")[0]
    if language not in dict(settings.LANGUAGES):
        return settings.LANGUAGE_CODE
    return (
        f"{language}-u-nu-{study.digits}" if study.digits and language in USUAL_DIGITS else language
    )


def label_ends(study: Study) -> dict[str, str]:
    """Return default labels for the scale's two ends, in the interface's language."""
    with translation.override(interface_of(study)):
        if study.question == Question.SAME_MEANING:
            labels = gettext("Different meanings"), gettext("The same meaning")
        elif study.question == Question.RELATEDNESS:
            labels = gettext("Not related at all"), gettext("Extremely related")
        elif study.variant == Variant.TRAINED:
            labels = gettext("not similar at all"), gettext("nearly the same")
        else:
            labels = gettext("Not similar at all"), gettext("Extremely similar")
    points = study.scale_points
    return {write_point(points[0]): labels[0], write_point(points[-1]): labels[1]}


@transaction.atomic
def set_text(study: Study, kind: TextKind, body: str) -> StudyText:
    """Add a version of a text; a no-op for the current text. Raises TextRefused."""
    body = body.replace("\r\n", "\n").strip()
    check_text(kind, body, study.item_rules)
    # versions are numbered in turn
    study = Study.objects.select_for_update(no_key=True).get(pk=study.pk)
    current = current_text(study, kind)
    if current.body.strip() == body:
        return current
    variants = study.variant, *Variant
    defaults = (_default_of(study, kind, v) for v in variants)
    default = next((text for text in defaults if text.body.strip() == body), DefaultText(body, OWN))
    return _add_version(study, current, default._replace(body=body))


def follow_defaults(study: Study) -> None:
    """Renew default texts for the study's language and variant; a study's own stay."""
    for kind in TextKind:
        latest = StudyText.objects.filter(study=study, kind=kind).first()
        if latest is None or latest.variant == OWN:
            continue
        default = _default_of(study, kind, study.variant)
        if (latest.body, latest.language) != (default.body, default.language):
            _add_version(study, latest, default)


def _add_version(study: Study, current: StudyText, default: DefaultText) -> StudyText:
    text = StudyText.objects.create(
        study=study, kind=current.kind, version=current.version + 1, **default._asdict()
    )
    study.save(update_fields=["revision"])
    record("text.set", study, str(current.kind), version=text.version)
    return text


def check_text(kind: TextKind, body: str, rules: ItemRules = OF_COSIMLEX) -> None:
    """Raise TextRefused, with advice, for a text that the survey could not show.

    `rules` are those of the study's items, which practice items keep.
    """
    if not body:
        if kind not in MAY_BE_EMPTY:
            raise TextRefused(
                f"The text for {kind} is empty. Only practice and check may be empty."
            )
        return
    if len(body) > LONGEST_TEXT:
        raise TextRefused(f"The text for {kind} is longer than {LONGEST_TEXT} characters.")
    if "\0" in body:
        raise TextRefused(f"The text for {kind} holds a null character. Is it a text file?")
    if kind == TextKind.INSTRUCTIONS:
        check_scale_examples(body)
    if kind == TextKind.PRACTICE:
        read_practice(body, rules)
    if kind == TextKind.CHECK:
        read_check(body)
    if kind in TextKind.mails():
        check_letter(kind, body)
