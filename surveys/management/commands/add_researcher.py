import secrets
from typing import Any

from django.core.management.base import CommandParser

from surveys.access.roles import add_researcher
from surveys.management.commands._base import SurveyCommand, find_study
from surveys.models import Role


class Command(SurveyCommand):
    help = (
        "Create an account for the console, or give an account a role in a study. The password of "
        "a new account is printed once."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("username")
        parser.add_argument("--study", help="study in which to give the role")
        parser.add_argument("--role", choices=Role.values, default=Role.OWNER.value)

    def handle(self, *, username: str, role: str, **options: Any) -> None:
        study = find_study(options["study"]) if options["study"] else None
        password = secrets.token_urlsafe(12)
        user, is_new = add_researcher(username, password, study=study, role=Role(role))
        if is_new:
            self.stdout.write(f"Account {user.get_username()} created; password: {password}")
        if study:
            self.stdout.write(f"{user.get_username()} is {role} of {study}.")
