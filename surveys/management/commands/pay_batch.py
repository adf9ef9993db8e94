from surveys.crowd.mturk.payments import pay_batch
from surveys.management.commands._batch import BatchCommand


class Command(BatchCommand):
    help = "Pay what a batch with an approved budget owes: rewards and granted bonuses."
    action = staticmethod(pay_batch)
