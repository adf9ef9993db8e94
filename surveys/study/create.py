"""Creation of a study from stimuli and a design, for the command, the console and the API."""

from django.contrib.auth.models import User
from django.db import IntegrityError, transaction

from surveys.access.audit_log import record
from surveys.access.roles import grant_role, role_in
from surveys.errors import StudyExists
from surveys.models import Role, Study
from surveys.study.lifecycle import open_study, review_consent
from surveys.study.stimuli.load import CheckedStimuli, ImportSummary, is_stored, store_study

FIRST_VERSION = 1


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
