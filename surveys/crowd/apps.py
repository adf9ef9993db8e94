"""App configuration: paid crowds."""

from django.apps import AppConfig

from surveys.features import register


class CrowdConfig(AppConfig):
    """The app: batches, payments and every request to MTurk."""

    name = "surveys.crowd"

    def ready(self) -> None:
        """Register what the app adds to the site."""
        from surveys.crowd.feature import FEATURE

        register(FEATURE)
