"""Stimuli and a design → a study with its first owner."""

from django.contrib.auth.models import User
from django.db import transaction

from surveys.accessing import grant_role, role_in
from surveys.auditing import record
from surveys.drafting import make_draft
from surveys.errors import StudyExists
from surveys.importing import ImportSummary, StudyDesign, import_stimuli
from surveys.models import Role, Study


@transaction.atomic
def found_study(
    data: bytes,
    design: StudyDesign,
    owner: User,
    *,
    opens: bool = True,
    dry_run: bool = False,
) -> ImportSummary:
    """Make a study of a stimuli file and somebody its owner; the same again changes nothing.

    What does not open is a draft. A dry run checks and stores nothing. Raises ImportRefused with
    all that is wrong, or StudyExists, also for a study of which somebody is not to know more than
    that.
    """
    study = Study.objects.filter(slug=design.slug).first()
    if study and role_in(study, owner) is None:
        raise StudyExists(f"The name {design.slug} is taken; choose another.")
    summary = import_stimuli(data, design, dry_run=dry_run or not opens)
    if not summary.is_new or dry_run:
        return summary
    if opens:
        study = Study.objects.get(slug=design.slug)
        grant_role(study, owner, Role.OWNER)
        record("study.imported", study, n_pairs=summary.n_pairs, stimuli=study.stimuli_sha256)
    else:
        make_draft(data, design, owner)
    return summary
