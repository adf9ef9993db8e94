from surveys.crowd.management.commands._batch import BatchCommand
from surveys.crowd.mturk.collect import fetch_batch


class Command(BatchCommand):
    help = "Fetch what workers handed in for a batch and set the status of each visit."
    action = staticmethod(fetch_batch)
