from surveys.crowd.mturk.publish import publish_batch
from surveys.management.commands._batch import BatchCommand


class Command(BatchCommand):
    help = "Create the planned HITs of a batch whose budget is approved; resumable."
    action = staticmethod(publish_batch)
