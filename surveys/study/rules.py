"""Cache of everything that the pages of a study share, until its revision changes."""

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache

from surveys.models import Study, StudyText, TextKind
from surveys.study.texts import current_texts

CACHE_SIZE = 200  # studies
BEFORE_ITEMS = (TextKind.CONSENT, TextKind.INSTRUCTIONS, TextKind.PRACTICE, TextKind.CHECK)


@dataclass(frozen=True)
class StudyRules:
    """The rules of a study, read once, and the texts that annotators read before the items."""

    study: Study
    scale_points: tuple[Decimal, ...]
    texts: Mapping[TextKind, StudyText]


@lru_cache(maxsize=CACHE_SIZE)
def study_rules_of(study_id: int, revision: str) -> StudyRules:
    """Return the rules of a study at a revision; every change of a study makes a new revision."""
    study = Study.objects.get(pk=study_id)
    return StudyRules(
        study=study,
        scale_points=tuple(study.scale_points),
        texts=current_texts(study, BEFORE_ITEMS),
    )
