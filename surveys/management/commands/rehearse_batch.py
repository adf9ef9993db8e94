from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.core.management.base import CommandError, CommandParser

from surveys.crowd.fees import write_cents
from surveys.management.commands._base import SurveyCommand, find_study, positive
from surveys.models import Provider
from surveys.rehearsal.annotator import Character
from surveys.rehearsal.demo import RESEARCHER
from surveys.rehearsal.mturk_batch import BatchRehearsal, BatchSummary, rehearse_batch
from surveys.rehearsal.rating_source import ModelledRatings

MOST_FAULTS = 5  # that are told


class Command(SurveyCommand):
    help = (
        "Let scripted workers do a batch in the MTurk simulator, from publishing to payment, on a "
        "running site. Nobody is paid; their answers are stored."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("study")
        parser.add_argument(
            "--base-url", default=settings.SITE_URL, help="the site (where it was served last)"
        )
        parser.add_argument(
            "--simulator", help="where the simulator must be (as MTURK_SIMULATOR_URL says)"
        )
        parser.add_argument(
            "--target", default=Provider.SIMULATOR.value, choices=Provider.values,
            help="none but the simulator is accepted",
        )  # fmt: skip
        parser.add_argument("--workers", type=positive, default=10, help="how many come (10)")
        parser.add_argument(
            "--places", type=positive, help="to offer of each questionnaire; default: all left"
        )
        parser.add_argument("--reward-cents", type=positive, default=50, help="for a place (50)")
        parser.add_argument("--bonus-cents", type=positive, default=20, help="for one worker (20)")
        parser.add_argument(
            "--at-once", type=positive, default=4, help="how many work at the same time (4)"
        )
        parser.add_argument("--seed", type=int, default=0, help="of the scripted people")
        parser.add_argument(
            "--characters", nargs="+", choices=list(Character), default=list(Character),
            help="taken in turn (all)",
        )  # fmt: skip
        parser.add_argument("--by", default=RESEARCHER, help=f"who arms it ({RESEARCHER})")

    def handle(self, *, study: str, target: str, simulator: str | None, **options: Any) -> None:
        user = User.objects.filter(username=options["by"]).first()
        if user is None:
            raise CommandError(f"There is no account {options['by']!r} to arm the batch: --by.")
        here = settings.MTURK_SIMULATOR_URL
        if simulator and simulator.rstrip("/") != here:
            raise CommandError(
                f"The site's simulator is at {here or 'no address'} (MTURK_SIMULATOR_URL), not at "
                f"{simulator}."
            )
        rehearsed = find_study(study)
        rehearsal = BatchRehearsal(
            options["base_url"],
            ModelledRatings(rehearsed.scale_points, options["seed"]),
            n_workers=options["workers"],
            reward_cents=options["reward_cents"],
            bonus_cents=options["bonus_cents"],
            n_places=options["places"],
            seed=options["seed"],
            characters=[Character(name) for name in options["characters"]],
            n_at_once=options["at_once"],
            tell=self.stdout.write if options["verbosity"] > 1 else lambda line: None,
        )
        summary = rehearse_batch(rehearsed, user, rehearsal, target=target)
        self._tell(summary)
        self._refuse_faults(summary)

    def _tell(self, summary: BatchSummary) -> None:
        money, pace = summary.money, summary.n_judgements / summary.seconds
        ledger, simulator, calculator = map(
            write_cents, (money.ledger, money.simulator, money.calculator)
        )
        ends = ", ".join(f"{end} {n}" for end, n in sorted(summary.ends.items()))
        lines = [
            f"Batch {summary.batch.number}: HITs {summary.n_hits}, places {summary.n_places}.",
            f"Workers: {ends}.",
            f"Judgements: {summary.n_judgements} in {summary.seconds:.1f} s, {pace:.1f} a second.",
            f"Errors: {len(summary.faults)}.",
            f"Money: ledger {ledger}, simulator {simulator}, calculator {calculator}.",
        ]
        self.stdout.write("\n".join(lines))

    def _refuse_faults(self, summary: BatchSummary) -> None:
        told = summary.faults[:MOST_FAULTS]
        if len(summary.faults) > MOST_FAULTS:
            told.append(f"and {len(summary.faults) - MOST_FAULTS} more")
        if not summary.money.agrees:
            told.append("The money does not agree: see what stands under Money.")
        if told:
            raise CommandError("\n".join(told))
