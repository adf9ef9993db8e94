"""The description of a study for its release, as far as the database contains it."""

import statistics
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

from django.db.models import Count, Max, Min

from postprocess.naming import propose_name
from postprocess.release.description.study import Description, DescriptionError, read_entries
from surveys.errors import ReleaseRefused
from surveys.models import Annotator, Assignment, Response, Study, StudyText, TextKind
from surveys.recruitment.providers import list_descriptions, rules_of
from surveys.results.ratings_table import released_design
from surveys.study.languages import name_language
from surveys.study.texts import current_text, label_ends

CONSENT = (
    "On a web page before the first text, which shows the full consent text and says that "
    "annotators can withdraw. Only annotators who agreed to the version shown there could begin; "
    "the version is stored with their answers."
)
PROCEDURE = (
    "On web pages, each annotator individually read a text, wrote two single words that it made "
    "them think of, and only then saw the same text with two of its words in bold, and rated how "
    "similar these are in it. No annotator was given both texts of a pair. The order of the texts "
    "was random for each annotator."
)
PLATFORM = "Cosima"
PERSONAL_LINK = "personal links"
SCRIPTED = "scripted annotators of a rehearsal, who are not people"


def describe_study(study: Study, *, released_on: date | None = None) -> Description:
    """Return the description of a study, without what only a person knows.

    Raises ReleaseRefused for a title or label that the files of a release cannot contain.
    """
    entries = _describe_design(study)
    entries["dataset"] |= _drop_unknown(released_on=released_on)
    entries["collection"] = _describe_collection(study)
    entries["recruitment"] = list(_list_channels(study))
    entries["texts"] = list(_list_texts(study))
    return _read(study, entries)


def describe_design(study: Study) -> Description:
    """Return the description without collection, recruitment and texts, which are slow to count.

    Raises ReleaseRefused as `describe_study` does.
    """
    return _read(study, _describe_design(study))


def _describe_design(study: Study) -> dict[str, Any]:
    labels = {**label_ends(study), **study.scale_labels}
    title = study.title if study.title != study.slug else None
    return {
        "dataset": _drop_unknown(
            title=title,
            name=propose_name(study.slug, study.languages),
            contact=study.contact or None,
        ),
        "language": _drop_unknown(name=_name_languages(study)),
        "scale": {
            "minimum": float(study.scale_minimum),
            "maximum": float(study.scale_maximum),
            "step": float(study.scale_step),
            "labels": dict(sorted(labels.items(), key=lambda label: Decimal(label[0]))),
        },
        "consent": {"obtained": CONSENT, "publishes_words": study.publishes_words},
        "pay": _drop_unknown(amount=study.pay or None),
        "ethics": _drop_unknown(review=study.ethics or None),
    }


def _name_languages(study: Study) -> str | None:
    """Return the English names of the language or the two languages, as far as they are known."""
    tags = filter(None, (study.language, study.language2))
    return " and ".join(filter(None, map(name_language, tags))) or None


def _describe_procedure(study: Study) -> str:
    """Return what annotators did, in a paragraph."""
    from postprocess.designs.procedure import describe_procedure  # loads half a second longer

    design = released_design(study)
    return describe_procedure(design) if design else PROCEDURE


def _read(study: Study, entries: dict[str, Any]) -> Description:
    try:
        return read_entries(entries)
    except DescriptionError as error:
        raise ReleaseRefused(f"Study {study.slug} cannot be described.\n{error}") from error


def _drop_unknown(**entries: Any) -> dict[str, Any]:
    return {name: entry for name, entry in entries.items() if entry is not None}


def _describe_collection(study: Study) -> dict[str, Any]:
    begun = Assignment.objects.for_study(study).filter(started_at__isnull=False)
    span = begun.aggregate(first=Min("started_at"), last=Max("submitted_at"))
    return _drop_unknown(
        procedure=_describe_procedure(study),
        platform=PLATFORM,
        question_forms=study.question_forms,
        variant=study.variant,
        n_annotators_by_variant=_count_by_variant(begun),
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


def _count_by_variant(assignments: Any) -> dict[str, int]:
    """Return the number of annotators by the variant of the texts that they read."""
    read = assignments.exclude(annotator__variant="").order_by("annotator__variant")
    counts = read.values_list("annotator__variant").annotate(n=Count("annotator", distinct=True))
    return dict(counts)


def _count_annotators(assignments: Any) -> int:
    return int(assignments.order_by().values("annotator").distinct().count())


def _as_day(instant: datetime | None) -> date | None:
    return instant.astimezone(UTC).date() if instant else None


def _time_items(study: Study) -> float | None:
    """Return the median seconds from a text to its rating, over the ratings that count."""
    first_page = "words_shown_at" if study.kind.n_pages == 2 else "rating_shown_at"
    counted = (
        Response.objects.counted(study).on_stimuli().filter(**{f"{first_page}__isnull": False})
    )
    seconds = [
        (rated_at - shown_at).total_seconds()
        for shown_at, rated_at in counted.values_list(first_page, "rated_at")
        if shown_at and rated_at
    ]
    return round(statistics.median(seconds), 1) if seconds else None


def _list_channels(study: Study) -> Iterator[dict[str, Any]]:
    """Yield the recruitment channels of annotators who started, with their numbers."""
    begun = Assignment.objects.for_study(study).filter(started_at__isnull=False).order_by()
    channel_fields = (
        "annotator__invitation__is_rehearsal",
        "annotator__invitation__entrance__provider",
    )
    counts = begun.values_list(*channel_fields).annotate(n=Count("annotator", distinct=True))
    n_annotators: Counter[str] = Counter()
    for is_rehearsal, provider, n in counts:
        channel = rules_of(provider).description if provider else PERSONAL_LINK
        n_annotators[SCRIPTED if is_rehearsal else channel] += n
    for channel in (PERSONAL_LINK, SCRIPTED, *list_descriptions()):
        if n_annotators[channel]:
            yield {"channel": channel, "n_annotators": n_annotators[channel]}


def _list_texts(study: Study) -> Iterator[dict[str, Any]]:
    """Yield every version of each survey text, and the number who agreed to each consent text."""
    for kind in TextKind:
        if kind in TextKind.mails() or (kind == TextKind.CHECK and not study.n_check_tries):
            continue
        current_text(study, kind)  # stores the default as version 1
        for text in StudyText.objects.filter(study=study, kind=kind).order_by("version"):
            if not text.body:
                continue
            entry = {"kind": kind.value, "version": text.version, "body": text.body}
            if kind == TextKind.CONSENT:
                entry["n_annotators"] = Annotator.objects.filter(consent=text).count()
            yield entry
