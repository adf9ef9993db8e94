"""A new draft with the stimuli, the design and the texts of another study."""

from django.contrib.auth.models import User
from django.db import transaction

from surveys.access.audit_log import record
from surveys.errors import ImportRefused, StudyExists
from surveys.models import Study, TextKind
from surveys.study.create import create_study
from surveys.study.design import configure_study
from surveys.study.settings import SETTINGS
from surveys.study.stimuli.checkpoints import copy_checkpoints
from surveys.study.stimuli.load import check_stimuli, read_stored_stimuli
from surveys.study.texts import read_texts, set_text

NOT_COPIED = ("title", "n_checkpoints")  # given, and set together with the checkpoint items


@transaction.atomic
def duplicate_study(study: Study, owner: User, *, slug: str, title: str) -> Study:
    """Create a draft like a study, with another name; answers, links and batches stay behind.

    Its consent text has to be reviewed before it opens. Raises StudyExists if the name is taken,
    and ImportRefused if it is not a short name, or if the study has no stimuli.
    """
    if Study.objects.filter(slug=slug).exists():
        raise StudyExists(f"There is a study {slug} already. Give the copy another short name.")
    copied = {name: getattr(study, name) for name in SETTINGS if name not in NOT_COPIED}
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
