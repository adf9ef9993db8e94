from surveys.management.commands._batch import BatchCommand
from surveys.models import Batch
from surveys.mturk.settling import pay_batch
from surveys.mturk.stepping import Outcome


class Command(BatchCommand):
    help = "Pay what an armed batch owes: rewards, and bonuses that were granted."

    def act(self, batch: Batch) -> Outcome:
        return pay_batch(batch)
