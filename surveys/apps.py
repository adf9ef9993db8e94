"""App configuration: connects lower layers to functions of higher ones at start."""

from django.apps import AppConfig

from surveys.features import register


class SurveysConfig(AppConfig):
    """The app: registers what the core adds to the site, and marks sessions at sign-in."""

    name = "surveys"

    def ready(self) -> None:
        """Register what lower layers cannot import."""
        from django.contrib.auth.signals import user_logged_in

        from surveys.access.roles import mark_session
        from surveys.access.sessions import note_browser
        from surveys.feature import FEATURE
        from surveys.monitoring import public_site  # noqa: F401  (registers itself)
        from surveys.operations import migration_guard, server_checks  # noqa: F401  (likewise)

        register(FEATURE)
        user_logged_in.connect(note_browser, dispatch_uid="note browsers")
        user_logged_in.connect(mark_session, dispatch_uid="mark sessions of limited accounts")
