from surveys.management.commands._batch import BatchCommand
from surveys.models import Batch
from surveys.mturk.stepping import Outcome
from surveys.mturk.stopping import stop_batch


class Command(BatchCommand):
    help = "End a batch: it takes nobody new. Who has accepted may still hand in."

    def act(self, batch: Batch) -> Outcome:
        return stop_batch(batch)
