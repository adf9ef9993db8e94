import getpass
from typing import Any

from django.core.management.base import CommandError, CommandParser

from surveys.management.commands._base import SurveyCommand, find_study, positive, words
from surveys.models import Block, Place, Study
from surveys.study.blocks.allocation import repeat_block


class Command(SurveyCommand):
    help = "Collect a block again from new annotators; earlier answers leave the dataset."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("study")
        parser.add_argument("number", type=positive, help="of the block")
        parser.add_argument("--reason", type=words(500), required=True, help="kept with the round")
        parser.add_argument(
            "--author", type=words(150), help="author of the decision (default: you)"
        )

    def handle(
        self, *, study: str, number: int, reason: str, author: str | None, **options: Any
    ) -> None:
        block = find_block(find_study(study), number)
        repeated = repeat_block(block, reason=reason, author=author or find_user_name())
        n_places = Place.objects.filter(round=repeated).count()
        self.stdout.write(
            f"Round {repeated.number} of block {number} is open now. Places: {n_places}."
        )


def find_block(study: Study, number: int) -> Block:
    """Return the block with this number. Raises CommandError with the number of blocks."""
    if block := Block.objects.filter(study=study, number=number).first():
        return block
    n_blocks = Block.objects.filter(study=study).count()
    raise CommandError(f"Study {study.slug} has no block {number}; its blocks are 1 to {n_blocks}.")


def find_user_name() -> str:
    """Return the operating system's name of the user, or an empty string."""
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return ""
