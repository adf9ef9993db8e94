from surveys.crowd.management.commands._batch import BatchCommand
from surveys.crowd.mturk.payments import pay_batch


class Command(BatchCommand):
    help = "Pay what a batch with an approved budget owes: rewards and granted bonuses."
    action = staticmethod(pay_batch)
