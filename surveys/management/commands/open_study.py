from typing import Any

from django.core.management.base import CommandParser
from django.db import transaction

from surveys.access.audit_log import MAX_ACTOR_LENGTH
from surveys.management.commands._base import SurveyCommand, add_settings, find_study, words
from surveys.models import Study, TextKind
from surveys.study.design import configure_study
from surveys.study.lifecycle import open_study, review_consent
from surveys.study.texts import current_text

NEEDED = ("organisation", "contact", "ethics")  # in general, to open a study


class Command(SurveyCommand):
    help = (
        "Open a draft, so that annotators can take part. Stimuli, language, scale, blocks and seed "
        "cannot change afterwards. Read the consent text first: manage.py set_text STUDY consent "
        "--show"
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("study")
        add_settings(parser, Study, *NEEDED)
        parser.add_argument(
            "--consent-reviewed-by", type=words(MAX_ACTOR_LENGTH), metavar="NAME",
            help="the researcher who reviewed the current consent text",
        )  # fmt: skip

    @transaction.atomic
    def handle(self, *, consent_reviewed_by: str | None, **options: Any) -> None:
        study = find_study(options["study"])
        if not study.is_draft:
            self.stdout.write(f"Study {study} is open already: nothing changed.")
            return
        given = {name: options[name] for name in NEEDED}
        settings = {name: setting for name, setting in given.items() if setting is not None}
        if settings:
            study = configure_study(study, **settings)
        if consent_reviewed_by:
            version = current_text(study, TextKind.CONSENT).version
            review_consent(study, version, reviewer=consent_reviewed_by)
        open_study(study)
        self.stdout.write(f"Study {study} is open. Make links: manage.py invite_annotators {study}")
