"""A draft, in which everything may change → a study that annotators may come to."""

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from surveys.access.audit_log import name_actor, record
from surveys.errors import OpeningRefused, StudyNotOpen, StudyOpen, TextChanged
from surveys.models import Assignment, Pair, Study, StudyText, TextKind
from surveys.study.texts import current_text, read_text

LOCKED = (
    "language", "scale_minimum", "scale_maximum", "scale_step", "question_forms", "block_size",
    "seed",
)  # fmt: skip


@transaction.atomic
def review_consent(study: Study, version: int, *, reviewer: str = "") -> StudyText:
    """Note that a researcher has read the consent text as annotators read it; once a version.

    The reviewer is who acts, unless another name is given. Raises TextChanged unless `version` is
    the current one.
    """
    study = Study.objects.select_for_update(no_key=True).get(pk=study.pk)
    current = read_text(study, TextKind.CONSENT).version
    if version != current:
        raise TextChanged(
            f"The consent text has changed: version {current} is current. Read it again."
        )
    text = current_text(study, TextKind.CONSENT)
    if text.reviewed_at is None:
        text.reviewed_by, text.reviewed_at = reviewer.strip() or name_actor(), timezone.now()
        text.save(update_fields=["reviewed_by", "reviewed_at"])
        record("consent.reviewed", study, version=version, reviewer=text.reviewed_by)
    return text


@transaction.atomic
def open_study(study: Study) -> Study:
    """Let annotators come, once; from then on stimuli, scale and question, blocks and seed stay.

    Raises OpeningRefused with all that the study lacks (`list_missing`).
    """
    study = Study.objects.select_for_update(no_key=True).get(pk=study.pk)
    if not study.is_draft:
        return study
    if missing := list_missing(study):
        raise OpeningRefused("\n".join(missing))
    n_pairs = Pair.objects.stimuli(study).count()
    study.opened_at = timezone.now()
    study.save(update_fields=["opened_at"])
    design = {name: str(getattr(study, name)) for name in (*LOCKED, "ratings_per_context")}
    record("study.opened", study, n_pairs=n_pairs, stimuli=study.stimuli_sha256, **design)
    return study


def list_missing(study: Study, *, but_review: bool = False) -> list[str]:
    """Return what keeps a draft from being opened, each with what to do about it.

    With `but_review` the review of the consent text is left out, for pages on which it is done.
    """
    missing = []
    if not Pair.objects.stimuli(study).exists():
        missing.append("The study has no stimuli yet. Upload a file with them first.")
    if not study.organisation.strip():
        missing.append("Give the organisation that runs the study: annotators are shown it.")
    if not study.contact.strip():
        missing.append("Give the contact whom annotators may ask, such as an e-mail address.")
    text = read_text(study, TextKind.CONSENT)
    if text.reviewed_at is None and not but_review:
        missing.append(
            f"Version {text.version} of the consent text has not been reviewed. Read it as "
            "annotators will, and confirm that it is right for this study."
        )
    return missing


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
            "The study is open: its stimuli, scale, question, blocks and seed stay as they are, so "
            "that all answers are to the same questions. To change them, make a new study."
        )
    return study
