from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import CommandParser

from surveys.management.commands._base import SurveyCommand


class Command(SurveyCommand):
    help = "Note where the site serves, so that commands without SITE_URL hand out working links."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("address", help="such as http://127.0.0.1:8000")

    def handle(self, *, address: str, **options: Any) -> None:
        (Path(settings.VAR_DIR) / "address").write_text(f"{address}\n")
