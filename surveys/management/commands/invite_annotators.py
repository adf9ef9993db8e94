from typing import Any

from django.conf import settings
from django.core.management.base import CommandParser
from django.urls import reverse

from surveys.management.commands._base import SurveyCommand, find_study, positive
from surveys.recruiting import invite_annotators


class Command(SurveyCommand):
    help = "Make personal links for annotators, one a line."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("study")
        parser.add_argument("--count", type=positive, default=1)

    def handle(self, *, study: str, count: int, **options: Any) -> None:
        for invitation in invite_annotators(find_study(study), count):
            path = reverse("annotate:welcome", args=[invitation.token])
            self.stdout.write(f"{settings.SITE_URL}{path}")
