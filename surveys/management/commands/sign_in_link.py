from typing import Any

from django.core.management.base import CommandParser

from surveys.access.sign_in_links import make_sign_in_link
from surveys.management.commands._base import SurveyCommand


class Command(SurveyCommand):
    help = "Print a link that signs an account in once, within an hour and without its password."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("username")

    def handle(self, *, username: str, **options: Any) -> None:
        self.stdout.write(make_sign_in_link(username))
        self.warn_of_links()
