from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser

from surveys.management.commands._base import SurveyCommand, read_file, read_text
from surveys.sharedtasks.boards.published import import_board, read_board, recompute_row
from surveys.sharedtasks.models import SharedPlaces, SharedTask

FIELDS = ("name", "title", "source", "address", "text", "places", "is_percent")


class Command(SurveyCommand):
    help = "Import a table of scores as a paper printed it, as a published board of a shared task."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("task", help="the shared task's name in addresses")
        parser.add_argument("file", help="kind, name, outside, and a column for each language")
        parser.add_argument("--order", help="printed_row, language, name and score of each cell")
        parser.add_argument("--name", required=True, help="part of its address, such as table-2")
        parser.add_argument("--title", required=True)
        parser.add_argument("--source", required=True, help="citation of the paper, with the table")
        parser.add_argument("--address", default="", help="a link to the paper")
        parser.add_argument("--text", default="", help="what the table is about")
        parser.add_argument("--percent", dest="is_percent", action="store_true")
        parser.add_argument(
            "--places", choices=SharedPlaces.values, default=SharedPlaces.COMPETITION,
            help="of equal scores: 1 1 3 (competition), 1 1 2 (dense), or none",
        )  # fmt: skip
        parser.add_argument(
            "--recompute", nargs=2, action="append", default=[], metavar=("ROW", "FOLDER"),
            help="score the result files of a row with the task's gold; may be repeated",
        )  # fmt: skip
        parser.add_argument("--subtask", type=int, help="of the result files, if there are several")

    def handle(self, *, task: str, file: str, **options: Any) -> None:
        shared_task = SharedTask.objects.filter(slug=task).first()
        if shared_task is None:
            slugs = ", ".join(SharedTask.objects.values_list("slug", flat=True)) or "none yet"
            raise CommandError(f"Unknown shared task {task!r}. Shared tasks: {slugs}.")
        order = read_text(options["order"]) if options["order"] else ""
        fields = {name: options[name] for name in FIELDS}
        board = read_board(shared_task, {**fields, "table": read_text(file), "order": order}, None)
        for row, folder in options["recompute"]:
            paths = sorted(path for path in Path(folder).glob("*") if path.is_file())
            sent = [(path.name, read_file(path)) for path in paths]
            board.recomputed.append(recompute_row(board, row, sent, options["subtask"]))
        import_board(board)
        self.stdout.write(f"Imported {board.name}: /tasks/{task}/published/{board.name}/")
