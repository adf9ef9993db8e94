"""A draft, in which everything may change → a study that annotators may come to."""

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from surveys.auditing import record
from surveys.errors import OpeningRefused, StudyNotOpen, StudyOpen
from surveys.models import Assignment, Pair, Study

LOCKED = ("language", "scale_minimum", "scale_maximum", "scale_step", "block_size", "seed")


@transaction.atomic
def open_study(study: Study) -> Study:
    """Let annotators come, once; from then on stimuli and scale, blocks and seed stay.

    Raises OpeningRefused for a study without stimuli.
    """
    study = Study.objects.select_for_update(no_key=True).get(pk=study.pk)
    if not study.is_draft:
        return study
    n_pairs = Pair.objects.stimuli(study).count()
    if not n_pairs:
        raise OpeningRefused("The study has no stimuli yet. Upload a file with them first.")
    study.opened_at = timezone.now()
    study.save(update_fields=["opened_at"])
    design = {name: str(getattr(study, name)) for name in (*LOCKED, "ratings_per_context")}
    record("study.opened", study, n_pairs=n_pairs, stimuli=study.stimuli_sha256, **design)
    return study


def refuse_draft(study: Study) -> None:
    """Raise StudyNotOpen, for annotators to read, for a study that is not open yet."""
    if study.is_draft:
        raise StudyNotOpen(_("This study is not open yet. Please come back later."))


def lock_draft(study: Study) -> Study:
    """The study as it is now, which nobody else changes until the transaction ends.

    Raises StudyOpen for one that is open, or in which somebody has taken part.
    """
    study = Study.objects.select_for_update(no_key=True).get(pk=study.pk)
    if not study.is_draft or Assignment.objects.for_study(study).exists():
        raise StudyOpen(
            "The study is open: its stimuli, scale, blocks and seed stay as they are, so that "
            "all answers are to the same questions. To change them, make a new study."
        )
    return study
