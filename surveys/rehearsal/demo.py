"""Setup of a new site: static files, a researcher's account, and demo studies."""

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
from surveys.study.create import create_study
from surveys.study.design import configure_study
from surveys.study.lifecycle import open_study, review_consent
from surveys.study.stimuli.load import read_stimuli
from surveys.study.texts import current_text

DEMO_LANGUAGES = {"en": "English", "hr": "Croatian", "sl": "Slovene", "fi": "Finnish"}
PUBLIC_TITLES = {  # in the languages of the studies
    "en": "How similar are two words?",
    "hr": "Koliko su slične dvije riječi?",
    "sl": "Kako podobni sta dve besedi?",
    "fi": "Kuinka samankaltaisia ovat kaksi sanaa?",
}
DEMO_ORGANISATION = "Cosima demo"
DEMO_CONTACT = "demo@example.org"
RESEARCHER = "researcher"


def prepare_static_files() -> None:
    """Collect and compress the static files unless they are unchanged since the last time."""
    mark = Path(settings.STATIC_ROOT) / ".collected"
    sources = _digest_static_files()
    if not mark.exists() or mark.read_text() != sources:
        unused = ["rest_framework"]  # half of all bytes: pages for browsing an API by hand
        call_command("collectstatic", interactive=False, verbosity=0, ignore_patterns=unused)
        mark.write_text(sources)


def prepare_researcher() -> str | None:
    """Create the researcher's account and return its password, or None if it exists already.

    The password is stored only as a hash, so it can be shown only now.
    """
    if User.objects.filter(username=RESEARCHER).exists():
        return None
    password = secrets.token_urlsafe(12)
    User.objects.create_superuser(RESEARCHER, password=password)
    return password


def prepare_demo_studies() -> list[Study]:
    """Create the demo studies that do not exist yet. Raises ImportRefused or StudyExists."""
    for language, name in DEMO_LANGUAGES.items():
        design = Study(
            slug=f"demo-{language}",
            title=f"Demo in {name}",
            language=language,
            ratings_per_context=10,
            block_size=7,
        )
        if not Study.objects.filter(slug=design.slug).exists():
            create_demo_study(design, f"data_{language}.tsv")
    return [Study.objects.get(slug=f"demo-{language}") for language in DEMO_LANGUAGES]


@transaction.atomic
def create_demo_study(design: Study, file: str, **chosen: bool | str) -> Study:
    """Create and open a study of a file in `demo/`, with `chosen` settings.

    It has Cosima's default texts, which its authors have reviewed.
    """
    create_study(read_stimuli((settings.BASE_DIR / "demo" / file).read_bytes(), design))
    study = Study.objects.get(slug=design.slug)
    study = configure_study(
        study,
        **{"public_title": PUBLIC_TITLES[study.language], **chosen},
        organisation=DEMO_ORGANISATION,
        contact=DEMO_CONTACT,
    )
    text = current_text(study, TextKind.CONSENT)
    review_consent(study, text.version, reviewer=DEMO_ORGANISATION)
    return open_study(study)


def find_open_invitation(study: Study) -> Invitation | None:
    """Return a personal link with work left, a new link if needed, or None in a full study."""
    links = Invitation.objects.filter(study=study, is_rehearsal=False, revoked_at=None)
    links = links.order_by("pk")
    started = links.filter(annotator__assignments__state__in=AssignmentState.leased()).first()
    if started or not has_place_left(study):
        return started
    return links.filter(annotator__isnull=True).first() or invite_annotators(study, 1)[0]


def _digest_static_files() -> str:
    """Return a digest of the paths, sizes and times of the files that `collectstatic` collects."""
    digest = hashlib.sha256()
    for finder in get_finders():
        for path, storage in finder.list([]):
            stat = Path(storage.path(path)).stat()
            digest.update(f"{path} {stat.st_size} {stat.st_mtime_ns}\n".encode())
    return digest.hexdigest()
