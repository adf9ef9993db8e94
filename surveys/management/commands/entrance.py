from typing import Any

from django.core.management.base import CommandError, CommandParser

from surveys.management.commands._base import SurveyCommand, code, find_study, positive
from surveys.models import Entrance, Provider, Study
from surveys.recruitment.links import (
    CODES,
    address_for_provider,
    close_entrance,
    open_entrance,
)
from surveys.recruitment.providers import list_pages, rules_of

NO_CAP, NO_CODE = 0, ""


class Command(SurveyCommand):
    help = "Open the entrance of a channel, change its settings, or close it."

    def add_arguments(self, parser: CommandParser) -> None:
        channels = parser.add_subparsers(dest="channel", required=True)
        for provider, page in list_pages().items():
            explained = f"Open a study's {page.subject}, or change it, and print its address."
            channel = channels.add_parser(provider.value, help=explained, description=explained)
            channel.add_argument("study")
            caps = channel.add_mutually_exclusive_group()
            caps.add_argument("--cap", type=positive, help="how many may start here")
            caps.add_argument(
                "--no-cap", dest="cap", action="store_const", const=NO_CAP,
                help="as many as there are places",
            )  # fmt: skip
            channel.add_argument("--close", action="store_true", help="admit no new annotators")
            if rules_of(provider).needs_code:
                channel.add_argument(
                    "--completion-code", type=code,
                    help=f"{page.title}'s code for completion; needed once, and when it changes",
                )  # fmt: skip
                add_code(
                    channel, "--no-place-code", remove="--without-no-place-code",
                    explained="its code for annotators without a place or screened out",
                )  # fmt: skip
            else:
                add_code(
                    channel, "--completion-code", remove="--no-completion-code",
                    explained="shown to annotators at the end",
                )  # fmt: skip

    def handle(self, *, channel: str, close: bool, **options: Any) -> None:
        provider, settings = Provider(channel), read_settings(options)
        study, page = find_study(options["study"]), list_pages()[provider]
        if close:
            if settings:
                raise CommandError("--close goes with no other option.")
            close_entrance(find_entrance(study, provider))
            self.stdout.write(
                f"The {page.subject} is closed to new annotators; those who have started can "
                "finish."
            )
            return
        earlier = Entrance.objects.filter(study=study, provider=provider).first()
        has_code = "completion_code" in settings or (earlier and earlier.completion_code)
        if rules_of(provider).needs_code and not has_code:
            raise CommandError(
                f"Give --completion-code: {page.title} shows it with the study there."
            )
        if earlier and earlier.closed_at:
            self.stderr.write("It was closed, and is open again.")
        entrance = open_entrance(study, provider, **settings)
        self.warn_of_links()
        self.stdout.write(address_for_provider(entrance))


def find_entrance(study: Study, provider: Provider) -> Entrance:
    """Return the entrance of a channel. Raises CommandError if there is none."""
    entrance = Entrance.objects.filter(study=study, provider=provider).first()
    if entrance is None:
        raise CommandError(f"Study {study.slug} has no {list_pages()[provider].subject}.")
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
