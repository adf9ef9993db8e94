from datetime import timedelta
from typing import Any

from django.core.management.base import CommandParser
from django.utils import timezone

from surveys.access.api_tokens import all_scopes, make_token
from surveys.management.commands._base import SurveyCommand, find_account, positive


class Command(SurveyCommand):
    help = "Create an API token for an account. Its key is printed once."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("username")
        parser.add_argument("name", help="purpose of the token")
        parser.add_argument("--scope", action="append", choices=all_scopes(), required=True)
        parser.add_argument("--days", type=positive, help="days until it expires; default never")

    def handle(
        self, *, username: str, name: str, scope: list[str], days: int | None, **options: Any
    ) -> None:
        user = find_account(username)
        expires_at = timezone.now() + timedelta(days=days) if days else None
        _, key = make_token(user, name, scope, expires_at=expires_at)
        self.stdout.write(key)
