from typing import Any, ClassVar

from django.core.management.base import CommandError, CommandParser

from surveys.management.commands._base import SurveyCommand, code, find_study, positive
from surveys.models import Entrance, Provider, Study
from surveys.recruitment.links import CODES, close_entrance, open_entrance

NO_CAP, NO_CODE = 0, ""


class EntranceCommand(SurveyCommand):
    """A command that opens the entrance of a channel, changes its settings, or closes it."""

    provider: ClassVar[Provider]
    name: ClassVar[str]
    closed: ClassVar[str]

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("study")
        caps = parser.add_mutually_exclusive_group()
        caps.add_argument("--cap", type=positive, help="how many may start here")
        caps.add_argument(
            "--no-cap", dest="cap", action="store_const", const=NO_CAP,
            help="as many as there are places",
        )  # fmt: skip
        parser.add_argument("--close", action="store_true", help="admit no new annotators")

    def handle(self, *, close: bool, **options: Any) -> None:
        settings = read_settings(options)
        study = find_study(options["study"])
        if close:
            if settings:
                raise CommandError("--close goes with no other option.")
            close_entrance(find_entrance(study, self.provider, self.name))
            self.stdout.write(self.closed)
            return
        self.refuse_settings(study, settings)
        closed = Entrance.objects.filter(study=study, provider=self.provider)
        if closed.exclude(closed_at=None).exists():
            self.stderr.write("It was closed, and is open again.")
        entrance = open_entrance(study, self.provider, **settings)
        self.warn_of_links()
        self.stdout.write(self.describe(entrance))

    def refuse_settings(self, study: Study, settings: dict[str, Any]) -> None:
        """Raise CommandError if an entrance would lack what its channel needs."""

    def describe(self, entrance: Entrance) -> str:
        """Return what the command prints about an open entrance."""
        raise NotImplementedError


def find_entrance(study: Study, provider: Provider, name: str) -> Entrance:
    """Return the entrance of a channel. Raises CommandError if there is none."""
    entrance = Entrance.objects.filter(study=study, provider=provider).first()
    if entrance is None:
        raise CommandError(f"Study {study.slug} has no {name}.")
    return entrance


def add_code(parser: CommandParser, name: str, *, remove: str, explained: str) -> None:
    """Add two options: one sets a code, the other removes it."""
    codes = parser.add_mutually_exclusive_group()
    codes.add_argument(name, type=code, help=explained)
    dest = name.removeprefix("--").replace("-", "_")
    codes.add_argument(remove, dest=dest, action="store_const", const=NO_CODE)


def read_settings(options: dict[str, Any]) -> dict[str, Any]:
    """Return the settings that the options change."""
    given = {name: options.get(name) for name in ("cap", *CODES)}
    settings = {name: setting for name, setting in given.items() if setting is not None}
    if settings.get("cap") == NO_CAP:
        settings["cap"] = None
    return settings
