"""Stimuli and a design → a study with its first owner."""

from typing import Any

from django.contrib.auth.models import User
from django.db import transaction

from surveys.access.roles import role_in
from surveys.errors import StudyExists
from surveys.models import Study
from surveys.study.design import configure_study
from surveys.study.lifecycle import open_study, review_consent
from surveys.study.stimuli.edit import make_draft
from surveys.study.stimuli.load import ImportSummary, SoundStimuli, is_stored

FIRST_VERSION = 1


@transaction.atomic
def found_study(
    stimuli: SoundStimuli,
    owner: User,
    *,
    settings: dict[str, Any] | None = None,
    has_reviewed: bool = False,
    opens: bool = False,
) -> ImportSummary:
    """Make a draft of stimuli and somebody its owner; the same again changes nothing.

    `settings` are those that `configure_study` takes; with `has_reviewed` the default consent text
    is noted as reviewed by the owner. Raises StudyExists, also for a study of which somebody is not
    to know more than that, and OpeningRefused for one that cannot open; then nothing is stored.
    """
    summary = foresee_study(stimuli, owner)
    if not summary.is_new:
        return summary
    study = make_draft(stimuli, owner)
    if given := {name: setting for name, setting in (settings or {}).items() if setting}:
        configure_study(study, **given)
    if has_reviewed:
        review_consent(study, FIRST_VERSION, reviewer=owner.get_username())
    if opens:
        open_study(study)
    return summary


def foresee_study(stimuli: SoundStimuli, owner: User) -> ImportSummary:
    """Return what `found_study` would do, which takes no lock. Raises StudyExists as it does."""
    slug = stimuli.design.slug
    study = Study.objects.filter(slug=slug).first()
    if study and role_in(study, owner) is None:
        raise StudyExists(f"The name {slug} is taken; choose another.")
    return stimuli.summarise(is_new=not is_stored(stimuli))
