from typing import Any

from django.core.exceptions import ValidationError
from django.core.management.base import CommandError, CommandParser
from django.core.validators import validate_email

from surveys.access.account_addresses import change_address
from surveys.access.roles import find_account
from surveys.management.commands._base import SurveyCommand


class Command(SurveyCommand):
    help = "Set the e-mail address of an account, for new passwords and for single sign-on."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("username")
        parser.add_argument("address")

    def handle(self, *, username: str, address: str, **options: Any) -> None:
        user = find_account(username)
        try:
            validate_email(address)
        except ValidationError as error:
            raise CommandError(" ".join(error.messages)) from error
        change_address(user, address)
        self.stdout.write(f"{user.get_username()} has the address {address} now.")
