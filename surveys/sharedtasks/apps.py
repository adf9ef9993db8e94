"""App configuration: shared tasks."""

from django.apps import AppConfig

from surveys.features import register


class SharedTasksConfig(AppConfig):
    """The app: teams predict the scores of a release and are compared on boards."""

    name = "surveys.sharedtasks"

    def ready(self) -> None:
        """Register what the app adds to the site."""
        from surveys.sharedtasks.feature import FEATURE

        register(FEATURE)
