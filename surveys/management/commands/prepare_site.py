from argparse import BooleanOptionalAction
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import CommandParser
from django.urls import reverse

from surveys.management.commands._base import SurveyCommand
from surveys.models import SharedTask, Study
from surveys.recruitment.links import personal_link
from surveys.rehearsal.control_token import control_link
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
        call_command("migrate", verbosity=0)
        prepare_static_files()
        studies = prepare_demo_studies() if demo else []
        finished = prepare_finished_study() if demo else None
        shared_task = prepare_shared_task() if finished else None
        password = prepare_researcher()  # last, since it is shown only once
        lines = [f"\nCosima is running at {settings.SITE_URL}/", "", "As an annotator"]
        lines += [f"  {study.title}: {_link(study)}" for study in studies] or [
            "  Import stimuli, then add links: .venv/bin/python manage.py import_stimuli --help,",
            "  .venv/bin/python manage.py invite_annotators --help",
        ]
        if finished:
            address = reverse("console:overview", args=[finished.slug])
            lines += ["A finished study with invented answers", f"  {settings.SITE_URL}{address}"]
        if shared_task:
            address = reverse("sharedtasks:overview", args=[shared_task.slug])
            lines += ["A shared task with invented teams", f"  {settings.SITE_URL}{address}"]
        lines += [
            "As a researcher",
            f"  {settings.SITE_URL}{reverse('console:studies')}",
            f"  name: {RESEARCHER}, password: {f'{password} ({_ONCE})' if password else _SET}",
        ]
        if simulator:
            lines += [
                "As a worker of the MTurk simulator, without real payments",
                f"  {simulator}/",
                f"  control panel (clock, faults, accounts): {control_link(simulator)}",
            ]
        lines += [
            "To stop",
            f"  press Ctrl+C. All data stays in {settings.VAR_DIR}.",
        ]
        self.stdout.write("\n".join(lines))


_CHANGE = f".venv/bin/python manage.py changepassword {RESEARCHER}"
_ONCE = f"shown only now; to set another: {_CHANGE}"
_SET = f"shown at the first start; to set another: {_CHANGE}"


def prepare_finished_study() -> Study | None:
    """Imported here, with pandas: a site without demo studies starts a second earlier."""
    from surveys.rehearsal.finished import study

    return study.prepare_finished_study()


def prepare_shared_task() -> SharedTask | None:
    """Imported here for the same reason."""
    from surveys.rehearsal.finished import shared_task

    return shared_task.prepare_shared_task()


def _link(study: Study) -> str:
    invitation = find_open_invitation(study)
    if invitation is None:
        return "complete; .venv/bin/python manage.py release_dataset " + study.slug + " FOLDER"
    return personal_link(invitation.token)
