"""Opening, closing and archiving of studies, and the checks that keep an open design fixed."""

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from surveys.access.audit_log import name_actor, record
from surveys.errors import ClosingRefused, OpeningRefused, StudyNotOpen, StudyOpen, TextChanged
from surveys.models import Assignment, Pair, Study, StudyText, TextKind
from surveys.study.settings import DRAFT_ONLY, QUESTION
from surveys.study.texts import current_text, read_text

REHEARSED = "The draft holds the answers of a rehearsal. Delete the rehearsal first (Overview)."


@transaction.atomic
def review_consent(study: Study, version: int, *, reviewer: str = "") -> StudyText:
    """Record that a researcher has reviewed the consent text; once for each version.

    The reviewer is the current user, unless another name is given. Raises TextChanged unless
    `version` is the current one.
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
    """Open a study to annotators; idempotent. Stimuli, scale, question, blocks and seed are fixed.

    Raises OpeningRefused with everything that the study lacks (`list_missing`).
    """
    study = Study.objects.select_for_update(no_key=True).get(pk=study.pk)
    if not study.is_draft:
        return study
    if Assignment.objects.for_study(study).exists():
        raise OpeningRefused(REHEARSED)
    if missing := list_missing(study):
        raise OpeningRefused("\n".join(missing))
    n_pairs = Pair.objects.stimuli(study).count()
    study.opened_at = timezone.now()
    study.save(update_fields=["opened_at"])
    names = (*(name for name in DRAFT_ONLY if name not in QUESTION), "ratings_per_context")
    design = {name: str(getattr(study, name)) for name in names}
    record("study.opened", study, n_pairs=n_pairs, stimuli=study.stimuli_sha256, **design)
    return study


@transaction.atomic
def close_study(study: Study) -> Study:
    """End the collection of an open study; idempotent. Annotators may finish what they began.

    Raises ClosingRefused for a draft, and while places are offered on a crowd platform.
    """
    study = Study.objects.select_for_update(no_key=True).get(pk=study.pk)
    if study.is_draft:
        raise ClosingRefused("A draft has nothing to close: nobody can take part yet.")
    if study.reservations.filter(closed_at=None).exists():
        raise ClosingRefused(
            "A paid batch still offers places of this study. Stop it first, under Recruitment."
        )
    if not study.is_closed:
        study.closed_at = timezone.now()
        study.save(update_fields=["closed_at"])
        record("study.closed", study)
    return study


@transaction.atomic
def reopen_study(study: Study) -> Study:
    """Continue the collection of a closed study, which leaves the archive; idempotent."""
    study = Study.objects.select_for_update(no_key=True).get(pk=study.pk)
    if study.is_closed:
        study.closed_at = study.archived_at = None
        study.save(update_fields=["closed_at", "archived_at"])
        record("study.reopened", study)
    return study


@transaction.atomic
def archive_study(study: Study, *, is_archived: bool = True) -> Study:
    """Take a draft or a closed study out of the list of studies, or put it back; idempotent.

    Raises ClosingRefused while the study collects.
    """
    study = Study.objects.select_for_update(no_key=True).get(pk=study.pk)
    if is_archived and not (study.is_draft or study.is_closed):
        raise ClosingRefused("The study is still collecting. Close it first.")
    if is_archived != (study.archived_at is not None):
        study.archived_at = timezone.now() if is_archived else None
        study.save(update_fields=["archived_at"])
        record("study.archived" if is_archived else "study.restored", study)
    return study


def list_missing(study: Study, *, but_review: bool = False) -> list[str]:
    """Return what prevents a draft from being opened, each with advice.

    `but_review` leaves out the review of the consent text, for pages on which it is done.
    """
    missing = []
    if not Pair.objects.stimuli(study).exists():
        missing.append("The study has no stimuli yet. Upload a file with them first.")
    if not study.organisation.strip():
        missing.append("Give the organisation that runs the study: annotators are shown it.")
    if not study.contact.strip():
        missing.append("Give a contact for annotators’ questions, such as an e-mail address.")
    text = read_text(study, TextKind.CONSENT)
    if text.reviewed_at is None and not but_review:
        missing.append(
            f"Version {text.version} of the consent text has not been reviewed. Read it as "
            "annotators will, and confirm that it is right for this study."
        )
    return missing


def refuse_draft(study: Study) -> None:
    """Raise StudyNotOpen, with a message for annotators, unless the study is open."""
    if study.is_draft:
        raise StudyNotOpen(
            _("It has not begun. Please come back later."), heading=_("This study is not open yet")
        )


def lock_draft(study: Study) -> Study:
    """Return a draft, locked. Raises StudyOpen for an open study, or one that has assignments."""
    study = Study.objects.select_for_update(no_key=True).get(pk=study.pk)
    if study.is_draft and Assignment.objects.for_study(study).exists():
        raise StudyOpen(REHEARSED)
    if not study.is_draft:
        raise StudyOpen(
            "The study is open: its stimuli, scale, question, blocks and seed stay as they are, so "
            "that all answers are to the same questions. To change them, make a new study."
        )
    return study
