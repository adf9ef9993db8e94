from surveys.crowd.mturk.payments import pay_batch
from surveys.crowd.mturk.steps import Outcome
from surveys.management.commands._batch import BatchCommand
from surveys.models import Batch


class Command(BatchCommand):
    help = "Pay what an armed batch owes: rewards, and bonuses that were granted."

    def act(self, batch: Batch) -> Outcome:
        return pay_batch(batch)
