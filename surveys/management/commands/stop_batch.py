from surveys.crowd.mturk.steps import Outcome
from surveys.crowd.mturk.stopping import stop_batch
from surveys.management.commands._batch import BatchCommand
from surveys.models import Batch


class Command(BatchCommand):
    help = "End a batch: it takes nobody new. Who has accepted may still hand in."

    def act(self, batch: Batch) -> Outcome:
        return stop_batch(batch)
