"""The sources of the contexts of a study, and what their licences mean for publishing them."""

from collections.abc import Iterable
from typing import NamedTuple

from django.db.models import Count

from postprocess.origin import Origin
from postprocess.release import sources
from postprocess.release.sources import Publishing, judge_licence
from surveys.models import CandidateSet, ContextSource, Study


class LicenceCount(NamedTuple):
    """How many contexts have a licence, and what it says; empty if it is not known."""

    licence: str
    n_contexts: int
    publishing: Publishing


def read_sources(study: Study) -> tuple[sources.ContextSource, ...]:
    """Return where the contexts of a study come from, by pair, as a release lists them."""
    found = ContextSource.objects.filter(context__pair__study=study)
    ordered = found.select_related("context__pair", "candidate").order_by(
        "context__pair__position", "context__number"
    )
    return tuple(
        sources.ContextSource(
            one.context.pair.position,
            one.context.number,
            **{name: str(getattr(one.candidate, name)) for name in sources.OF_CORPUS},
            edited="yes" if one.context.text != one.candidate.text else "",
        )
        for one in ordered
    )


def read_origin(study: Study) -> Origin:
    """Return how the contexts of a study were found; {} if they are not those of candidates."""
    if not ContextSource.objects.filter(context__pair__study=study).exists():
        return {}
    return CandidateSet.objects.filter(study=study).values_list("origin", flat=True).first() or {}


def list_doubtful(study: Study) -> list[LicenceCount]:
    """Return the licences of a study's contexts that do not clearly allow publishing them."""
    found = ContextSource.objects.filter(context__pair__study=study).order_by()
    counted = found.values_list("candidate__licence").annotate(n=Count("pk"))
    return [one for one in count_licences(counted) if one.publishing is not Publishing.ALLOWED]


def count_licences(counted: Iterable[tuple[str, int]]) -> list[LicenceCount]:
    """Return licences with what they say, the most frequent first."""
    ordered = sorted(counted, key=lambda one: (-one[1], one[0]))
    return [LicenceCount(licence, n, judge_licence(licence)) for licence, n in ordered]
