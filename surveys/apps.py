"""App configuration: connects lower layers to functions of higher ones at start."""

from importlib import import_module

from django.apps import AppConfig
from django.utils.module_loading import import_string

from surveys.features import register

FEATURES = ("surveys.feature.FEATURE", "surveys.sharedtasks.feature.FEATURE")


class SurveysConfig(AppConfig):
    """The app: registers what each part adds, and marks sessions at sign-in."""

    name = "surveys"

    def import_models(self) -> None:
        """Import the models of shared tasks as well, until these are installed."""
        super().import_models()
        import_module("surveys.sharedtasks.models")

    def ready(self) -> None:
        """Register what lower layers cannot import."""
        from django.contrib.auth.signals import user_logged_in

        from surveys.access.roles import mark_session
        from surveys.operations import migration_guard, server_checks  # noqa: F401  (register themselves)

        for name in FEATURES:
            register(import_string(name))
        user_logged_in.connect(mark_session, dispatch_uid="mark sessions of limited accounts")
