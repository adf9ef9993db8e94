from argparse import ArgumentTypeError
from decimal import Decimal
from typing import Any

from django.core.management.base import CommandError, CommandParser

from surveys.management.commands._base import SurveyCommand, add_settings, decimal, find_study
from surveys.models import Pair, Study
from surveys.models.fields import label_of
from surveys.models.study import write_point
from surveys.study.design import configure_study
from surveys.study.settings import KIND, SETTINGS


class Command(SurveyCommand):
    help = (
        "Change settings of a study; without options, print them. Opening fixes the language, "
        "scale, question, variant, blocks and seed."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("study")
        add_settings(parser, Study, *(name for name in SETTINGS if name != "scale_labels"))
        labels = parser.add_mutually_exclusive_group()
        labels.add_argument(
            "--label", type=read_label, action="append", metavar="POINT=WORDS",
            help="words for a point of the scale, such as 0='not similar at all'; repeat it for "
            "each point, all labels are replaced",
        )  # fmt: skip
        labels.add_argument("--no-labels", action="store_true")

    def handle(self, **options: Any) -> None:
        study = find_study(options["study"])
        settings = {name: options[name] for name in SETTINGS if options.get(name) is not None}
        if options["label"] or options["no_labels"]:
            settings["scale_labels"] = collect_labels(options["label"] or [])
        before = describe_settings(study)
        if not settings:
            width = max(map(len, before))
            for name, setting in before.items():
                self.stdout.write(f"{name:{width}}  {setting}".rstrip())
            return
        study = configure_study(study, **settings)
        after = describe_settings(study)
        changed = [name for name in after if after[name] != before[name]]
        for name in changed:
            self.stdout.write(f"{name}: {before[name] or '–'} → {after[name] or '–'}")
        if not changed:
            self.stdout.write("Nothing changed.")
        if (n_items := Pair.objects.checkpoints(study).count()) < study.n_checkpoints:
            few = f"note: the study has {n_items} checkpoint items: manage.py import_checkpoints -h"
            self.warn(few)


def read_label(text: str) -> tuple[str, str]:
    """Return a point of the scale and its label from a command argument."""
    point, sign, label = text.partition("=")
    if not sign:
        raise ArgumentTypeError(f"write {text!r} as POINT=WORDS, such as 0='not similar at all'")
    return write_point(decimal(point.strip())), label.strip()


def collect_labels(labels: list[tuple[str, str]]) -> dict[str, str]:
    """Return labels by point. Raises CommandError for a repeated point."""
    collected: dict[str, str] = {}
    for point, label in labels:
        if point in collected:
            raise CommandError(f"The point {point} has two labels; give one. Nothing was changed.")
        collected[point] = label
    return collected


def describe_settings(study: Study) -> dict[str, str]:
    """Return the settings of a study by their labels."""
    return {label_of(Study, name): _write(getattr(study, name)) for name in (*KIND, *SETTINGS)}


def _write(setting: Any) -> str:
    if isinstance(setting, dict):
        return ", ".join(f"{point} = {label}" for point, label in setting.items())
    if isinstance(setting, bool):
        return "yes" if setting else "no"
    if isinstance(setting, Decimal):
        return write_point(setting)
    return "" if setting is None else str(setting)
