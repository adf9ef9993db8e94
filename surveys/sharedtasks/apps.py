"""App configuration: shared tasks."""

from django.apps import AppConfig
from django.conf import settings

from surveys.features import register


class SharedTasksConfig(AppConfig):
    """The app: teams predict the scores of a release and are compared on boards."""

    name = "surveys.sharedtasks"

    def ready(self) -> None:
        """Register what the app adds to the site, and name its values in the API's schema."""
        from surveys.sharedtasks.feature import FEATURE

        register(FEATURE)
        settings.ENUM_NAMES.update(
            SharedTaskStateEnum="surveys.sharedtasks.web.api.serializers.SHOWN_STATES",
            SubmissionStateEnum="surveys.sharedtasks.models.SubmissionState",
        )
