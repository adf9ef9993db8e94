"""Creation of a study from stimuli and a design, or as a copy of another study."""

from django.contrib.auth.models import User
from django.db import IntegrityError, transaction

from surveys.access.audit_log import record
from surveys.access.roles import grant_role, role_in
from surveys.errors import ImportRefused, StudyExists
from surveys.models import Role, Study, TextKind
from surveys.study.design import configure_study
from surveys.study.lifecycle import open_study, review_consent
from surveys.study.settings import KIND, SETTINGS
from surveys.study.stimuli.checkpoints import copy_checkpoints
from surveys.study.stimuli.load import (
    CheckedStimuli,
    ImportSummary,
    check_stimuli,
    is_stored,
    read_stored_stimuli,
    store_study,
)
from surveys.study.texts import read_texts, set_text

FIRST_VERSION = 1
NOT_COPIED = ("title", "n_checkpoints")  # given, and set together with the checkpoint items


@transaction.atomic
def create_study(
    stimuli: CheckedStimuli,
    owner: User | None = None,
    *,
    has_reviewed: bool = False,
    opens: bool = False,
) -> ImportSummary:
    """Create a draft with its owner; idempotent for the same stimuli and design.

    An operator on the command line creates studies without an owner. `has_reviewed` records the
    owner as reviewer of the default consent text. Raises StudyExists as `preview_study` does, and
    OpeningRefused if the study is to open but lacks something; then nothing is stored.
    """
    summary = preview_study(stimuli, owner)
    if not summary.is_new:
        return summary
    try:
        with transaction.atomic():
            study = store_study(stimuli)
    except IntegrityError:  # another request with this name was faster
        summary = preview_study(stimuli, owner)
        if summary.is_new:
            raise
        return summary
    if owner is not None:
        grant_role(study, owner, Role.OWNER)
        record("study.drafted", study, n_pairs=len(stimuli.pairs), stimuli=study.stimuli_sha256)
    if has_reviewed:
        review_consent(study, FIRST_VERSION, reviewer=owner.get_username() if owner else "")
    if opens:
        open_study(study)
    return summary


def preview_study(stimuli: CheckedStimuli, owner: User | None = None) -> ImportSummary:
    """Return what `create_study` would do, without taking a lock.

    Raises StudyExists if the name belongs to a study with other stimuli or another design, or to
    one in which the owner has no role, of which nothing else is disclosed.
    """
    slug = stimuli.design.slug
    study = Study.objects.filter(slug=slug).first()
    if study and owner and role_in(study, owner) is None:
        raise StudyExists(f"There is a study {slug} already. Choose another short name.")
    return stimuli.summarise(is_new=not is_stored(stimuli))


@transaction.atomic
def duplicate_study(study: Study, owner: User, *, slug: str, title: str) -> Study:
    """Create a draft like a study, with another name; answers, links and batches stay behind.

    Its consent text has to be reviewed before it opens. Raises StudyExists if the name is taken,
    and ImportRefused if it is not a short name, or if the study has no stimuli.
    """
    if Study.objects.filter(slug=slug).exists():
        raise StudyExists(f"There is a study {slug} already. Give the copy another short name.")
    copied = {name: getattr(study, name) for name in (*SETTINGS, *KIND) if name not in NOT_COPIED}
    design = Study(slug=slug, title=title, **copied)
    stored = read_stored_stimuli(study)
    if not stored.pairs:
        raise ImportRefused("The study has no stimuli yet that a copy could have.")
    stimuli = check_stimuli(stored, design)
    create_study(stimuli, owner)
    copy = Study.objects.get(slug=slug)
    copy = configure_study(copy, seconds_per_item=study.seconds_per_item)
    copy_checkpoints(study, copy)
    for kind, text in read_texts(study).items():
        if text.pk is not None:
            set_text(copy, TextKind(kind), text.body)
    record("study.duplicated", copy, study.slug)
    return copy
