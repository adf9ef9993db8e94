from surveys.crowd.management.commands._batch import BatchCommand
from surveys.crowd.mturk.publish import publish_batch


class Command(BatchCommand):
    help = "Create the planned HITs of a batch whose budget is approved; resumable."
    action = staticmethod(publish_batch)
