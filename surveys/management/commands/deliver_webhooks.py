from typing import Any

from django.utils import timezone

from surveys.management.commands._base import SurveyCommand
from surveys.models import Delivery
from surveys.notifying import deliver


class Command(SurveyCommand):
    help = (
        "Send the messages to webhooks that are due. For a timer where there is no broker: a "
        "process that ends takes its further tries with it."
    )

    def handle(self, **options: Any) -> None:
        due = list(Delivery.objects.due(timezone.now()).values_list("pk", flat=True))
        for delivery_id in due:
            deliver(delivery_id)
        arrived = Delivery.objects.filter(pk__in=due, delivered_at__isnull=False)
        self.stdout.write(f"{arrived.count()} of {len(due)} messages arrived.")
