"""Statistics of a study's stimuli, and their overlap with other studies."""

from collections import Counter
from functools import lru_cache
from typing import NamedTuple

from django.db.models import F, Q, QuerySet, TextField, Value
from django.db.models.functions import Concat

from postprocess.designs.kinds import KINDS
from postprocess.statistics.sizes import StimuliSizes, measure_stimuli
from surveys.models import Context, Pair, Study
from surveys.models.study import Kind
from surveys.study.rules import CACHE_SIZE

SEPARATOR = Value("\t", output_field=TextField())  # which no word holds


class Overlap(NamedTuple):
    """The word pairs, in either order, and the texts that another study shares."""

    study: Study
    n_pairs: int
    n_texts: int


@lru_cache(maxsize=CACHE_SIZE)
def measure_study(
    study_id: int, stimuli_sha256: str, item_kind: str = Kind.TEXT
) -> StimuliSizes | None:
    """Return the statistics of a study's stimuli, or None; cached until their digest changes.

    They are of pairs in two contexts.
    """
    kind = KINDS[item_kind]
    if kind.n_contexts == 1:
        return None
    stimuli = Pair.objects.filter(study=study_id, is_checkpoint=False).restore(kind)
    return measure_stimuli(stimuli) if stimuli else None


def list_overlaps(study: Study, others: QuerySet[Study]) -> list[Overlap]:
    """Return the overlap with each other study that shares something; three queries in all.

    The counts are cached until the stimuli of any of them change.
    """
    studies = list(others.exclude(pk=study.pk).order_by("slug"))
    stimuli = frozenset((s.pk, s.stimuli_sha256) for s in studies)
    n_pairs, n_texts = _count_shared(study.pk, study.stimuli_sha256, stimuli)
    shared = n_pairs.keys() | n_texts.keys()
    return [Overlap(s, n_pairs[s.pk], n_texts[s.pk]) for s in studies if s.pk in shared]


@lru_cache(maxsize=CACHE_SIZE)
def _count_shared(
    study_id: int, stimuli_sha256: str, others: frozenset[tuple[int, str]]
) -> tuple[Counter[int], Counter[int]]:
    """Count the pairs and texts that each other study shares; digests as in `measure_study`."""
    own_pairs = Pair.objects.filter(study=study_id, is_checkpoint=False).order_by()
    straight = own_pairs.values_list(Concat("word1", SEPARATOR, "word2"))
    crossed = own_pairs.values_list(Concat("word2", SEPARATOR, "word1"))
    pairs = Pair.objects.filter(study__in=[pk for pk, _ in others], is_checkpoint=False)
    shared = pairs.annotate(both=Concat("word1", SEPARATOR, "word2"))
    n_pairs = Counter(
        shared.filter(Q(both__in=straight) | Q(both__in=crossed)).values_list("study_id", flat=True)
    )
    own_texts = Context.objects.filter(pair__in=own_pairs).exclude(text="")
    texts = Context.objects.filter(pair__in=pairs, text__in=own_texts.values("text"))
    return n_pairs, Counter(texts.values_list(F("pair__study_id"), flat=True))
