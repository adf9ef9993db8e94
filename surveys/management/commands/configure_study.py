from argparse import ArgumentTypeError, BooleanOptionalAction
from typing import Any

from django.core.management.base import CommandError, CommandParser

from surveys.management.commands._base import SurveyCommand, decimal, find_study
from surveys.models import AssigningPolicy, Pair, QuestionForms, Study, Variant
from surveys.models.study import Digits, write_point
from surveys.study.design import SETTINGS, configure_study


class Command(SurveyCommand):
    help = "Change settings of a study; without options, print them."

    def add_arguments(self, parser: CommandParser) -> None:
        add = parser.add_argument
        add("study")
        add("--title", help="shown to researchers")
        add("--public-title", help="named to annotators; '' for none")
        add("--organisation", help="who runs the study; shown to annotators")
        add("--contact", help="contact for annotators' questions")
        add("--ethics", help="ethics approval or its reference; shown to annotators")
        add("--legal-basis", help="for storing personal data; shown to annotators; '' for none")
        add("--authority", help="to which annotators may complain; shown to them; '' for none")
        add("--data-protection-officer", help="name or address; shown to annotators; '' for none")
        add(
            "--digits", choices=["", *Digits.values],
            help="of the pages in Arabic and Persian; '' as usual in the language",
        )  # fmt: skip
        add("--pay", help="what annotators are paid, such as '£2.50'; shown to them; '' for none")
        add("--pay-for-more", help="what they are paid for a further block; '' for nothing")
        add("--ratings-per-context", type=int)
        add("--lease-hours", type=int, help="hours for which a place is held without activity")
        add(
            "--policy", dest="assigning_policy", choices=AssigningPolicy.values,
            help="how arriving annotators are given questionnaires",
        )  # fmt: skip
        labels = parser.add_mutually_exclusive_group()
        labels.add_argument(
            "--label", type=read_label, action="append", metavar="POINT=WORDS",
            help="words for a point of the scale, such as 0='not similar at all'; repeat it for "
            "each point, all labels are replaced",
        )  # fmt: skip
        labels.add_argument("--no-labels", action="store_true")
        add(
            "--question-forms", choices=QuestionForms.values,
            help="forms of the two words that the question names; in a draft",
        )  # fmt: skip
        add(
            "--variant", choices=Variant.values,
            help="variant of the default texts, the labels of the scale and the question; in a "
            "draft",
        )  # fmt: skip
        _add_switches(parser)
        add(
            "--check-tries", dest="n_check_tries", type=int, metavar="N",
            help="attempts at the comprehension check; 0 for no check",
        )  # fmt: skip
        add(
            "--checkpoints", dest="n_checkpoints", type=int, metavar="N",
            help="checkpoint items mixed into each assignment",
        )  # fmt: skip
        add(
            "--seconds-per-item", type=int, metavar="N",
            help="for the estimate of an assignment's duration",
        )  # fmt: skip

    def handle(self, *, study: str, **options: Any) -> None:
        found = find_study(study)
        settings = {name: options[name] for name in SETTINGS if options.get(name) is not None}
        if options["label"] or options["no_labels"]:
            settings["scale_labels"] = collect_labels(options["label"] or [])
        before = describe_settings(found)
        if not settings:
            width = max(map(len, before))
            for name, setting in before.items():
                self.stdout.write(f"{name:{width}}  {setting}".rstrip())
            return
        found = configure_study(found, **settings)
        after = describe_settings(found)
        changed = [name for name in after if after[name] != before[name]]
        for name in changed:
            self.stdout.write(f"{name}: {before[name] or '–'} → {after[name] or '–'}")
        if not changed:
            self.stdout.write("Nothing changed.")
        if (n_items := Pair.objects.checkpoints(found).count()) < found.n_checkpoints:
            few = f"note: the study has {n_items} checkpoint items: manage.py import_checkpoints -h"
            self.warn(few)


def _add_switches(parser: CommandParser) -> None:
    for name, setting, explained in (
        ("--cannot-judge", "allows_unjudgeable", "annotators may say that they cannot judge"),
        ("--send-choice", "sends_choice", "a chosen number is sent after a moment, with an undo"),
        ("--more-blocks", "allows_more_blocks", "annotators may do further blocks"),
        (
            "--publish-words",
            "publishes_words",
            "the consent notice says from now on that words are published",
        ),
    ):
        parser.add_argument(name, dest=setting, action=BooleanOptionalAction, help=explained)
    withdrawn = parser.add_mutually_exclusive_group()
    for name, erases, explained in (
        ("--erase-withdrawn", True, "withdrawing erases the answers"),
        ("--keep-withdrawn", False, "withdrawing leaves the answers stored, unused"),
    ):
        withdrawn.add_argument(
            name, dest="erases_withdrawn", action="store_const", const=erases, help=explained
        )


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
    """Return the settings of a study under readable names."""
    return {
        name.removeprefix("n_").replace("_", " "): _write(getattr(study, name)) for name in SETTINGS
    }


def _write(setting: Any) -> str:
    if isinstance(setting, dict):
        return ", ".join(f"{point} = {label}" for point, label in setting.items())
    if isinstance(setting, bool):
        return "yes" if setting else "no"
    return str(setting)
