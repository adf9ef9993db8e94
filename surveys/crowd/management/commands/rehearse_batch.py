from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.core.management.base import CommandError, CommandParser

from surveys.crowd.rehearsal.batch import BatchRehearsal, BatchSummary, rehearse_batch
from surveys.management.commands._base import SurveyCommand, find_study, positive
from surveys.models import Provider
from surveys.money import format_cents
from surveys.rehearsal.annotator import Character
from surveys.rehearsal.demo import RESEARCHER
from surveys.rehearsal.rating_source import ModelledRatings

MAX_FAULTS = 5  # shown


class Command(SurveyCommand):
    help = (
        "Rehearse a batch on a running site: scripted workers do it in the MTurk simulator, from "
        "publishing to payment. No money is paid; their answers are stored."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("study")
        parser.add_argument(
            "--base-url", default=settings.SITE_URL, help="the site (where it was last served)"
        )
        parser.add_argument(
            "--simulator", help="expected address of the simulator (MTURK_SIMULATOR_URL)"
        )
        parser.add_argument(
            "--target", default=Provider.SIMULATOR.value, choices=Provider.values,
            help="only the simulator is accepted",
        )  # fmt: skip
        parser.add_argument("--workers", type=positive, default=10, help="number of workers (10)")
        parser.add_argument(
            "--places", type=positive, help="to offer per questionnaire; default: all left"
        )
        parser.add_argument("--reward-cents", type=positive, default=50, help="for each place (50)")
        parser.add_argument("--bonus-cents", type=positive, default=20, help="for one worker (20)")
        parser.add_argument(
            "--at-once", type=positive, default=4, help="number of workers at the same time (4)"
        )
        parser.add_argument("--seed", type=int, default=0, help="random seed of the workers")
        parser.add_argument(
            "--characters", nargs="+", choices=list(Character), default=list(Character),
            help="equally frequent, in an order by chance (all)",
        )  # fmt: skip
        parser.add_argument(
            "--by", default=RESEARCHER, help=f"account that approves it ({RESEARCHER})"
        )

    def handle(self, *, study: str, target: str, simulator: str | None, **options: Any) -> None:
        user = User.objects.filter(username=options["by"]).first()
        if user is None:
            raise CommandError(
                f"There is no account {options['by']!r} to approve the budget: use --by."
            )
        address = settings.MTURK_SIMULATOR_URL
        if simulator and simulator.rstrip("/") != address:
            raise CommandError(
                f"The site's simulator is at {address or 'no address'} (MTURK_SIMULATOR_URL), "
                f"not at {simulator}."
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
            report=self.stdout.write if options["verbosity"] > 1 else lambda line: None,
        )
        summary = rehearse_batch(rehearsed, user, rehearsal, target=target)
        self._report(summary)
        self._refuse_faults(summary)

    def _report(self, summary: BatchSummary) -> None:
        money, pace = summary.money, summary.n_judgements / summary.seconds
        ledger, simulator, calculator = map(
            format_cents, (money.ledger, money.simulator, money.calculator)
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
        errors = summary.faults[:MAX_FAULTS]
        if len(summary.faults) > MAX_FAULTS:
            errors.append(f"and {len(summary.faults) - MAX_FAULTS} more")
        if not summary.money.agrees:
            errors.append("The three sums under Money differ.")
        if errors:
            raise CommandError("\n".join(errors))
