from surveys.crowd.mturk.publishing import publish_batch
from surveys.crowd.mturk.steps import Outcome
from surveys.management.commands._batch import BatchCommand
from surveys.models import Batch


class Command(BatchCommand):
    help = "Have the planned HITs of an armed batch created; again, it goes on where it ended."

    def act(self, batch: Batch) -> Outcome:
        return publish_batch(batch)
