"""The sources of the contexts of a study, and what their licences mean for publishing them."""

from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

from postprocess.origin import Origin
from postprocess.release.sources import OF_CORPUS, ContextSource, Publishing, judge_licence
from surveys.models import Context, StimuliOrigin, Study


class LicenceCount(NamedTuple):
    """A licence, its number of contexts, and its meaning, empty if unknown."""

    licence: str
    n_contexts: int
    publishing: Publishing


def read_sources(study: Study) -> tuple[ContextSource, ...]:
    """Return where the contexts of a study come from, by pair, as a release lists them."""
    stored = StimuliOrigin.objects.filter(study=study).first()
    if stored is None:
        return ()
    contexts = Context.objects.stimuli(study).order_by("pair__position", "number")
    return tuple(
        ContextSource(
            pair,
            number,
            **{name: source[name] for name in OF_CORPUS},
            edited="" if source["text_sha256"] == StimuliOrigin.digest_text(text) else "yes",
        )
        for pk, pair, number, text in contexts.values_list("pk", "pair__position", "number", "text")
        if (source := stored.sources.get(str(pk)))
    )


def read_origin(study: Study) -> Origin:
    """Return how a study's contexts were found; {} if they were not made of candidates."""
    stored = StimuliOrigin.objects.filter(study=study).values_list("origin", flat=True)
    return stored.first() or {}


def list_doubtful(study: Study) -> list[LicenceCount]:
    """Return the licences of a study's contexts that do not clearly allow publishing them."""
    counted = Counter(source.licence for source in read_sources(study))
    licences = count_licences(counted.items())
    return [licence for licence in licences if licence.publishing is not Publishing.ALLOWED]


def count_licences(counted: Iterable[tuple[str, int]]) -> list[LicenceCount]:
    """Return licences with their meaning, the most frequent first."""
    ordered = sorted(counted, key=lambda licence: (-licence[1], licence[0]))
    return [LicenceCount(licence, n, judge_licence(licence)) for licence, n in ordered]
