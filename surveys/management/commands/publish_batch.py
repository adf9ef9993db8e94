from surveys.management.commands._batch import BatchCommand
from surveys.models import Batch
from surveys.mturk.publishing import publish_batch
from surveys.mturk.stepping import Outcome


class Command(BatchCommand):
    help = "Have the planned HITs of an armed batch created; again, it goes on where it ended."

    def act(self, batch: Batch) -> Outcome:
        return publish_batch(batch)
