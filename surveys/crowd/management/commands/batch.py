from collections.abc import Callable
from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.core.management.base import CommandError, CommandParser

from surveys.crowd.models import Batch
from surveys.crowd.mturk.collect import fetch_batch
from surveys.crowd.mturk.payments import pay_batch
from surveys.crowd.mturk.publish import publish_batch
from surveys.crowd.mturk.steps import Outcome
from surveys.crowd.mturk.stop import stop_batch
from surveys.crowd.rehearsal.batch import BatchRehearsal, BatchSummary, rehearse_batch
from surveys.management.commands._base import SurveyCommand, find_study, positive
from surveys.models import Provider
from surveys.money import format_cents
from surveys.rehearsal.annotator import Character
from surveys.rehearsal.demo import RESEARCHER
from surveys.rehearsal.rating_source import ModelledRatings

MAX_FAULTS = 5  # shown
REHEARSE = "rehearse"
STEPS: dict[str, tuple[Callable[[Batch], Outcome], str]] = {
    "publish": (
        publish_batch, "Create the planned HITs of a batch whose budget is approved; resumable.",
    ),
    "fetch": (
        fetch_batch, "Fetch what workers handed in for a batch and set the status of each visit.",
    ),
    "pay": (
        pay_batch, "Pay what a batch with an approved budget owes: rewards and granted bonuses.",
    ),
    "stop": (
        stop_batch, "Stop a batch: no new workers. Workers who have accepted can still hand in.",
    ),
}  # fmt: skip


class Command(SurveyCommand):
    help = "Take one step of a batch, or rehearse a batch in the MTurk simulator."

    def add_arguments(self, parser: CommandParser) -> None:
        steps = parser.add_subparsers(dest="step", required=True)
        for name, (_, explained) in STEPS.items():
            step = steps.add_parser(name, help=explained, description=explained)
            step.add_argument("study")
            step.add_argument("batch", type=int, help="its number within the study")
        explained = (
            "Rehearse a batch on a running site: scripted workers do it in the MTurk simulator, "
            "from publishing to payment. No money is paid; their answers are stored."
        )
        add_rehearsal(steps.add_parser(REHEARSE, help=explained, description=explained))

    def handle(self, *, step: str, **options: Any) -> None:
        if step == REHEARSE:
            self._rehearse(**options)
        else:
            self._take_step(STEPS[step][0], options["study"], options["batch"])

    def _take_step(self, take: Callable[[Batch], Outcome], study: str, number: int) -> None:
        """Take a step of a batch; errors of single rows are shown at the end, and raised."""
        batch = Batch.objects.filter(study=find_study(study), number=number).first()
        if batch is None:
            raise CommandError(f"Study {study} has no batch {number}.")
        outcome = take(batch)
        for name, n in sorted(outcome.counts.items()):
            self.stdout.write(f"{name}: {n}")
        if not outcome.counts:
            self.stdout.write("There was nothing to do.")
        if outcome.errors:
            raise CommandError("\n".join(outcome.errors))

    def _rehearse(self, *, study: str, target: str, simulator: str | None, **options: Any) -> None:
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


def add_rehearsal(parser: CommandParser) -> None:
    """Add the study to rehearse and the options of the rehearsal."""
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
    parser.add_argument("--by", default=RESEARCHER, help=f"account that approves it ({RESEARCHER})")
