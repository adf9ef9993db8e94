from argparse import BooleanOptionalAction
from typing import Any

from django.conf import settings
from django.core.cache import cache
from django.core.management import call_command
from django.core.management.base import CommandParser
from django.urls import reverse

from surveys.access.roles import DEMO_TO_COME, DEMONSTRATION
from surveys.features import load_objects
from surveys.management.commands._base import SurveyCommand
from surveys.models import Release, Study
from surveys.operations.migration_guard import read_recorded, refuse_other_version
from surveys.recruitment.links import personal_link
from surveys.rehearsal.demo import (
    RESEARCHER,
    find_open_invitation,
    prepare_demo_studies,
    prepare_researcher,
    prepare_static_files,
)


class Command(SurveyCommand):
    needs_fitting_database = False  # it migrates itself
    help = "Prepare a site: database, static files, first account, demo studies and their links."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--demo", action=BooleanOptionalAction, default=True)
        parser.add_argument("--simulator", default="", help="URL of the MTurk simulator")

    def handle(self, *, demo: bool, simulator: str, **options: Any) -> None:
        refuse_other_version(read_recorded())
        call_command("migrate", verbosity=0)
        prepare_static_files()
        studies = prepare_demo_studies() if demo else []
        finished = list_finished_demo()
        is_to_come = demo and not all(is_made for *_, is_made in finished)
        cache.set(DEMO_TO_COME, is_to_come and settings.SHOW_DEMO, 600)  # seconds
        password = prepare_researcher()  # last, since it is shown only once
        lines = [f"\nCosima is running at {settings.SITE_URL}/", "", "As an annotator"]
        lines += [f"  {study.title}: {_link(study)}" for study in studies] or [
            "  Import stimuli, then add links: .venv/bin/python manage.py import_stimuli --help,",
            "  .venv/bin/python manage.py invite_annotators --help",
        ]
        if demo:
            lines += [
                ", and ".join(what for what, *_ in finished)
                + (", which are being made now" if is_to_come else ""),
                *(f"  {settings.SITE_URL}{path}" for _, path, _ in finished),
            ]
        lines += [
            "As a researcher",
            f"  {settings.SITE_URL}{reverse('console:studies')}",
            f"  name: {RESEARCHER}, password: {f'{password} ({_ONCE})' if password else _SET}",
        ]
        if simulator:
            lines += [
                "As a worker of the MTurk simulator, without real payments",
                f"  {simulator}/",
            ]
        lines += [
            "To stop",
            f"  press Ctrl+C. All data stays in {settings.VAR_DIR}.",
        ]
        self.stdout.write("\n".join(lines))


def list_finished_demo() -> list[tuple[str, str, bool]]:
    """Return what the finished demo is, its paths, and whether each part is made."""
    is_released = Release.objects.filter(study__slug=DEMONSTRATION).exists()
    study = reverse("console:overview", args=[DEMONSTRATION])
    parts_of_apps = [describe_demo() for describe_demo in load_objects("describe_demo")]
    return [("A finished study with invented answers", study, is_released), *parts_of_apps]


_CHANGE = f".venv/bin/python manage.py changepassword {RESEARCHER}"
_ONCE = f"shown only now; to set another: {_CHANGE}"
_SET = f"shown at the first start; to set another: {_CHANGE}"


def _link(study: Study) -> str:
    invitation = find_open_invitation(study)
    if invitation is None:
        return "complete; .venv/bin/python manage.py release_dataset " + study.slug + " FOLDER"
    return personal_link(invitation.token)
