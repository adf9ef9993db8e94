import time
from argparse import BooleanOptionalAction
from typing import Any

import httpx
from django.conf import settings
from django.core.management.base import CommandError, CommandParser
from django.urls import reverse

from surveys.management.commands._base import SurveyCommand
from surveys.preparing import (
    RESEARCHER,
    find_open_invitation,
    prepare_demo_studies,
    prepare_researcher,
)

PATIENCE_SECONDS = 60


class Command(SurveyCommand):
    help = "Make the first account and the demo studies, wait for the server, and tell the links."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--demo", action=BooleanOptionalAction, default=True)
        parser.add_argument("--wait-for", metavar="URL", help="address to wait for before telling")

    def handle(self, *, demo: bool, wait_for: str | None, **options: Any) -> None:
        password = prepare_researcher()
        studies = prepare_demo_studies() if demo else []
        if wait_for:
            _wait_for(wait_for)
        lines = [f"\nCosima is running at {settings.SITE_URL}/", "", "As an annotator"]
        lines += [f"  {study.title}: {_link(study)}" for study in studies] or [
            "  Import stimuli, then make links: .venv/bin/python manage.py import_stimuli --help,",
            "  .venv/bin/python manage.py invite_annotators --help",
        ]
        lines += [
            "As a researcher",
            f"  {settings.SITE_URL}{reverse('admin:index')}",
            f"  name: {RESEARCHER}, password: {password or 'the one you have set'}",
            "To stop",
            f"  press Ctrl+C. All data stays in {settings.VAR_DIR}.",
            "",
        ]
        self.stdout.write("\n".join(lines))


def _link(study: Any) -> str:
    token = find_open_invitation(study).token
    return f"{settings.SITE_URL}{reverse('annotate:welcome', args=[token])}"


def _wait_for(url: str) -> None:
    deadline = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < deadline:
        try:
            httpx.get(url, timeout=2)
        except httpx.TransportError:
            time.sleep(0.1)
        else:
            return
    raise CommandError(f"The server did not answer at {url} within {PATIENCE_SECONDS} seconds.")
