"""What holds for every page of a study, kept in memory until the study's revision changes."""

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache

from surveys.models import Study, StudyText, TextKind
from surveys.study.texts import current_text

MOST_KEPT = 200  # studies
BEFORE_ITEMS = (TextKind.CONSENT, TextKind.INSTRUCTIONS, TextKind.PRACTICE, TextKind.CHECK)


@dataclass(frozen=True)
class Protocol:
    """The rules of a study, read once, and the texts that annotators read before the items."""

    study: Study
    scale_points: tuple[Decimal, ...]
    texts: Mapping[TextKind, StudyText]


@lru_cache(maxsize=MOST_KEPT)
def protocol_of(study_id: int, revision: str) -> Protocol:
    """The rules of a study as of a revision. Whoever changes a study gives it a new one."""
    study = Study.objects.get(pk=study_id)
    return Protocol(
        study=study,
        scale_points=tuple(study.scale_points),
        texts={kind: current_text(study, kind) for kind in BEFORE_ITEMS},
    )
