"""Study → what a site knows about it, as a description for its release."""

import statistics
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, date, datetime
from typing import Any

from babel import Locale, UnknownLocaleError
from django.db.models import Count, Max, Min

from postprocess.release.description import Description, DescriptionError, read_entries
from surveys.errors import ReleaseRefused
from surveys.models import Annotator, Assignment, Provider, Response, Study, StudyText, TextKind
from surveys.study.texts import current_text

CONSENT = (
    "On a web page before the first text, which shows the consent text in full and says that "
    "annotators can withdraw. Only who agreed to the very version that was shown there could "
    "begin; the version is kept with their answers."
)
PROCEDURE = (
    "On web pages, each annotator by themselves read a text, wrote two single words that it made "
    "them think of, and only then saw the same text with two of its words in bold, and rated how "
    "similar these are in it. Nobody was given both texts of a pair. The order of the texts was "
    "each annotator's own, by chance."
)
PERSONAL_LINK = "personal links"
SCRIPTED = "scripted annotators of a rehearsal, who are not people"
CHANNELS = {
    Provider.LINK: "an open link",
    Provider.PROLIFIC: "Prolific",
    Provider.SIMULATOR: "a simulator of Amazon Mechanical Turk, in a rehearsal",
    Provider.SANDBOX: "the sandbox of Amazon Mechanical Turk",
    Provider.PRODUCTION: "Amazon Mechanical Turk",
}


def describe_study(study: Study, *, released_on: date | None = None) -> Description:
    """What the site knows of a study; what only a person knows is left out.

    Raises ReleaseRefused for a title or label that no file of a release can hold.
    """
    entries = _describe_design(study)
    entries["dataset"] |= _drop_unknown(released_on=released_on)
    entries["collection"] = _describe_collection(study)
    entries["recruitment"] = list(_list_channels(study))
    entries["texts"] = list(_list_texts(study))
    return _read(study, entries)


def describe_design(study: Study) -> Description:
    """The same without collection, recruitment and texts: counting among answers takes its time.

    Raises ReleaseRefused as `describe_study` does.
    """
    return _read(study, _describe_design(study))


def _describe_design(study: Study) -> dict[str, Any]:
    title = study.title if study.title != study.slug else None
    return {
        "dataset": _drop_unknown(title=title),
        "language": _drop_unknown(name=_name_language(study.language)),
        "scale": {
            "minimum": float(study.scale_minimum),
            "maximum": float(study.scale_maximum),
            "step": float(study.scale_step),
            "labels": study.scale_labels,
        },
        "consent": {"obtained": CONSENT, "publishes_words": study.publishes_words},
    }


def _read(study: Study, entries: dict[str, Any]) -> Description:
    try:
        return read_entries(entries)
    except DescriptionError as error:
        raise ReleaseRefused(f"Study {study.slug} cannot be described.\n{error}") from error


def _drop_unknown(**entries: Any) -> dict[str, Any]:
    return {name: entry for name, entry in entries.items() if entry is not None}


def _name_language(tag: str) -> str | None:
    """The English name of a language, with its script or region."""
    try:
        return Locale.parse(tag, sep="-").get_display_name("en")
    except (UnknownLocaleError, ValueError):
        return None


def _describe_collection(study: Study) -> dict[str, Any]:
    begun = Assignment.objects.for_study(study).filter(started_at__isnull=False)
    span = begun.aggregate(first=Min("started_at"), last=Max("submitted_at"))
    return _drop_unknown(
        procedure=PROCEDURE,
        question_forms=study.question_forms,
        began_on=_as_day(span["first"]),
        ended_on=_as_day(span["last"]),
        ratings_per_context=study.ratings_per_context,
        pairs_per_sitting=study.block_size,
        expected_seconds_per_item=float(study.seconds_per_item),
        median_seconds_per_item=_time_items(study),
        n_annotators_started=_count_annotators(begun),
        n_annotators_scripted=_count_annotators(begun.scripted()) or None,
        n_annotators_finished=_count_annotators(begun.submitted()),
        n_annotators_withdrawn=_count_annotators(
            begun.filter(annotator__withdrawn_at__isnull=False)
        ),
    )


def _count_annotators(assignments: Any) -> int:
    return int(assignments.order_by().values("annotator").distinct().count())


def _as_day(instant: datetime | None) -> date | None:
    return instant.astimezone(UTC).date() if instant else None


def _time_items(study: Study) -> float | None:
    """The median of the seconds from a text to its rating, over the ratings that count."""
    counted = Response.objects.counted(study).on_stimuli().filter(words_shown_at__isnull=False)
    seconds = [
        (rated_at - shown_at).total_seconds()
        for shown_at, rated_at in counted.values_list("words_shown_at", "rated_at")
        if shown_at and rated_at
    ]
    return round(statistics.median(seconds), 1) if seconds else None


def _list_channels(study: Study) -> Iterator[dict[str, Any]]:
    """The ways by which annotators who started came, in whichever round, and how many by each."""
    begun = Assignment.objects.for_study(study).filter(started_at__isnull=False).order_by()
    way = ("annotator__invitation__is_rehearsal", "annotator__invitation__entrance__provider")
    counts = begun.values_list(*way).annotate(n=Count("annotator", distinct=True))
    n_annotators: Counter[str] = Counter()
    for is_rehearsal, provider, n in counts:
        channel = CHANNELS[Provider(provider)] if provider else PERSONAL_LINK
        n_annotators[SCRIPTED if is_rehearsal else channel] += n
    for channel in (PERSONAL_LINK, SCRIPTED, *CHANNELS.values()):
        if n_annotators[channel]:
            yield {"channel": channel, "n_annotators": n_annotators[channel]}


def _list_texts(study: Study) -> Iterator[dict[str, Any]]:
    """Yield every version of each text of the survey, and how many agreed to which consent."""
    for kind in TextKind:
        if kind in TextKind.mails() or (kind == TextKind.CHECK and not study.n_check_tries):
            continue
        current_text(study, kind)  # the default counts as version 1 from its first showing
        for text in StudyText.objects.filter(study=study, kind=kind).order_by("version"):
            if text.body:
                yield {
                    "kind": kind.value, "version": text.version, "body": text.body,
                    **_count_agreed(text),
                }  # fmt: skip


def _count_agreed(text: StudyText) -> dict[str, int]:
    if text.kind != TextKind.CONSENT:
        return {}
    return {"n_annotators": Annotator.objects.filter(consent=text).count()}
