"""A fresh site → its files, a researcher who can sign in, and demo studies to try."""

import hashlib
import secrets
from pathlib import Path

from django.conf import settings
from django.contrib.auth.models import User
from django.contrib.staticfiles.finders import get_finders
from django.core.management import call_command
from django.db import transaction

from surveys.models import AssignmentState, Invitation, Study, TextKind
from surveys.participation.assignments import has_place_left
from surveys.recruitment.links import invite_annotators
from surveys.study.design import configure_study
from surveys.study.lifecycle import open_study, review_consent
from surveys.study.stimuli.load import StudyDesign, import_stimuli
from surveys.study.texts import current_text

DEMO_LANGUAGES = {"en": "English", "hr": "Croatian", "sl": "Slovene", "fi": "Finnish"}
DEMO_ORGANISATION = "Cosima demo"
DEMO_CONTACT = "demo@example.org"
RESEARCHER = "researcher"


def prepare_static_files() -> None:
    """Collect and compress the static files, unless they are those that were collected last."""
    mark = Path(settings.STATIC_ROOT) / ".collected"
    sources = _digest_static_files()
    if not mark.exists() or mark.read_text() != sources:
        call_command("collectstatic", interactive=False, verbosity=0)
        mark.write_text(sources)


def prepare_researcher() -> str | None:
    """Make the first account of a site and return its password; None if it is there already.

    The password is kept in no file, and so can be shown only now.
    """
    if User.objects.filter(username=RESEARCHER).exists():
        return None
    password = secrets.token_urlsafe(12)
    User.objects.create_superuser(RESEARCHER, password=password)
    return password


def prepare_demo_studies() -> list[Study]:
    """Import the demo stimuli unless they are there. Raises what `import_stimuli` raises."""
    for language, name in DEMO_LANGUAGES.items():
        design = StudyDesign(
            slug=f"demo-{language}",
            title=f"Demo in {name}",
            language=language,
            ratings_per_context=10,
            block_size=7,
        )
        if not Study.objects.filter(slug=design.slug).exists():
            _make_demo_study(design)
    return [Study.objects.get(slug=f"demo-{language}") for language in DEMO_LANGUAGES]


@transaction.atomic
def _make_demo_study(design: StudyDesign) -> None:
    """Make and open a study with Cosima's own texts, which its authors have reviewed."""
    data = (settings.BASE_DIR / f"demo/data_{design.language}.tsv").read_bytes()
    import_stimuli(data, design)
    study = Study.objects.get(slug=design.slug)
    study = configure_study(study, organisation=DEMO_ORGANISATION, contact=DEMO_CONTACT)
    text = current_text(study, TextKind.CONSENT)
    review_consent(study, text.version, reviewer=DEMO_ORGANISATION)
    open_study(study)


def find_open_invitation(study: Study) -> Invitation | None:
    """A personal link with something left to answer, new if need be; None in a full study."""
    links = Invitation.objects.filter(study=study, is_rehearsal=False, revoked_at=None)
    links = links.order_by("pk")
    begun = links.filter(annotator__assignments__state__in=AssignmentState.leased()).first()
    if begun or not has_place_left(study):
        return begun
    return links.filter(annotator__isnull=True).first() or invite_annotators(study, 1)[0]


def _digest_static_files() -> str:
    """Of the paths, sizes and times of all that `collectstatic` would take."""
    digest = hashlib.sha256()
    for finder in get_finders():
        for path, storage in finder.list([]):
            stat = Path(storage.path(path)).stat()
            digest.update(f"{path} {stat.st_size} {stat.st_mtime_ns}\n".encode())
    return digest.hexdigest()
