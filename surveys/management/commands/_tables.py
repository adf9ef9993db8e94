from django.core.management.base import CommandParser

from surveys.study.stimuli.kinds import ENCODING_CHOICES, SEPARATOR_CHOICES

OPTIONS = "--separator {} --encoding {}"


def add_kind_options(parser: CommandParser) -> None:
    """Add the options for files that are not tab-separated UTF-8."""
    parser.add_argument(
        "--separator", choices=[str(name) for name, _ in SEPARATOR_CHOICES],
        help="of the columns (recognised)",
    )  # fmt: skip
    parser.add_argument(
        "--encoding", choices=[str(name) for name, _ in ENCODING_CHOICES],
        help="of the file (utf-8)",
    )  # fmt: skip
