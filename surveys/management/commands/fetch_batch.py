from surveys.management.commands._batch import BatchCommand
from surveys.models import Batch
from surveys.mturk.fetching import fetch_batch
from surveys.mturk.stepping import Outcome


class Command(BatchCommand):
    help = "Take what was handed in for a batch: who is to be paid, who is held for a person."

    def act(self, batch: Batch) -> Outcome:
        return fetch_batch(batch)
