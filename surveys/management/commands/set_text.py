from typing import Any

from django.core.management.base import CommandParser

from surveys.management.commands._base import SurveyCommand, find_study, read_text
from surveys.models import TextKind
from surveys.study.texts import current_text, set_text


class Command(SurveyCommand):
    help = "Set a text that annotators read, or show it. Earlier versions are kept."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("study")
        parser.add_argument("kind", choices=TextKind.values)
        action = parser.add_mutually_exclusive_group(required=True)
        action.add_argument("file", nargs="?", help="UTF-8 text; - for standard input")
        action.add_argument("--show", action="store_true", help="print the text as it is now")
        action.add_argument(
            "--empty",
            action="store_true",
            help="remove the practice item or the check from the survey",
        )

    def handle(self, *, study: str, kind: str, file: str | None, **options: Any) -> None:
        changed, kind = find_study(study), TextKind(kind)
        before = current_text(changed, kind)
        if options["show"]:
            self.stdout.write(before.body)
            return
        text = set_text(changed, kind, "" if file is None else read_text(file))
        if text == before:
            message = f"Nothing changed: the {kind} of study {study} is this text already"
        elif text.body:
            message = f"Annotators of study {study} now read this {kind}"
        else:
            message = f"Study {study} now has no {kind}"
        self.stdout.write(f"{message} (version {text.version}).")
        if kind == TextKind.CHECK and text.body and not changed.n_check_tries:
            self.warn(
                "note: the check is switched off. To switch it on: "
                f"manage.py configure_study {study} --check-tries 2"
            )
