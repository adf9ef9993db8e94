"""What is put together when the site starts: lower layers are given what higher ones do."""

from django.apps import AppConfig


class SurveysConfig(AppConfig):
    """The app: registers the crowds that people come from, and has stored messages sent."""

    name = "surveys"

    def ready(self) -> None:
        """Register what the layers below cannot import."""
        from surveys.access.webhooks import messages_stored
        from surveys.crowd.mturk.targets import register_targets

        register_targets()
        messages_stored.connect(_send_messages, dispatch_uid="send stored messages")


def _send_messages(**stored: object) -> None:
    from surveys.tasks import start_deliveries  # which loads what post-processes

    start_deliveries()
