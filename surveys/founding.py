"""Stimuli and a design → a study with its first owner."""

from typing import Any

from django.contrib.auth.models import User
from django.db import transaction

from surveys.accessing import role_in
from surveys.configuring import configure_study
from surveys.drafting import make_draft
from surveys.errors import StudyExists
from surveys.importing import ImportSummary, StudyDesign, import_stimuli
from surveys.models import Study
from surveys.opening import open_study, review_consent

FIRST_VERSION = 1


@transaction.atomic
def found_study(
    data: bytes,
    design: StudyDesign,
    owner: User,
    *,
    settings: dict[str, Any] | None = None,
    has_reviewed: bool = False,
    opens: bool = False,
    dry_run: bool = False,
) -> ImportSummary:
    """Make a draft of a stimuli file and somebody its owner; the same again changes nothing.

    `settings` are those that `configure_study` takes; with `has_reviewed` the default consent text
    is noted as reviewed by the owner. A dry run checks and stores nothing. Raises ImportRefused
    with all that is wrong, StudyExists, also for a study of which somebody is not to know more
    than that, and OpeningRefused for one that cannot open; then nothing is stored.
    """
    study = Study.objects.filter(slug=design.slug).first()
    if study and role_in(study, owner) is None:
        raise StudyExists(f"The name {design.slug} is taken; choose another.")
    summary = import_stimuli(data, design, dry_run=True)
    if not summary.is_new or dry_run:
        return summary
    study = make_draft(data, design, owner)
    if given := {name: setting for name, setting in (settings or {}).items() if setting}:
        configure_study(study, **given)
    if has_reviewed:
        review_consent(study, FIRST_VERSION, reviewer=owner.get_username())
    if opens:
        open_study(study)
    return summary
