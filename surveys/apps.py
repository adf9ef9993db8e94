"""App configuration: connects lower layers to functions of higher ones at start."""

from django.apps import AppConfig


class SurveysConfig(AppConfig):
    """The app: registers crowd providers, and starts the delivery of webhook messages."""

    name = "surveys"

    def ready(self) -> None:
        """Register what lower layers cannot import."""
        from surveys.access.webhooks import messages_stored
        from surveys.crowd.mturk.targets import register_targets

        register_targets()
        messages_stored.connect(_send_messages, dispatch_uid="send stored messages")


def _send_messages(**stored: object) -> None:
    from surveys.tasks import start_deliveries  # slow to import

    start_deliveries()
