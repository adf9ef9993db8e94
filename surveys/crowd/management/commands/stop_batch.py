from surveys.crowd.management.commands._batch import BatchCommand
from surveys.crowd.mturk.stop import stop_batch


class Command(BatchCommand):
    help = "Stop a batch: no new workers. Workers who have accepted can still hand in."
    action = staticmethod(stop_batch)
