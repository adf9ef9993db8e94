from typing import Any

from django.core.management.base import CommandParser

from surveys.access.roles import find_account
from surveys.access.second_factor import remove_second_factor
from surveys.management.commands._base import SurveyCommand


class Command(SurveyCommand):
    help = "Remove an account's second factor, so that its owner signs in with the password alone."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("username")

    def handle(self, *, username: str, **options: Any) -> None:
        user = find_account(username)
        had_one = remove_second_factor(user)
        self.stdout.write(
            f"{user.get_username()} {'has no second factor now' if had_one else 'had none'}."
        )
