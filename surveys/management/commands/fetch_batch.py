from surveys.crowd.mturk.fetching import fetch_batch
from surveys.crowd.mturk.steps import Outcome
from surveys.management.commands._batch import BatchCommand
from surveys.models import Batch


class Command(BatchCommand):
    help = "Take what was handed in for a batch: who is to be paid, who is held for a person."

    def act(self, batch: Batch) -> Outcome:
        return fetch_batch(batch)
