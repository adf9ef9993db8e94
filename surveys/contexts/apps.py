"""App configuration: contexts from corpora."""

from django.apps import AppConfig

from surveys.features import register


class ContextsConfig(AppConfig):
    """The app: candidates, their choice by experts, and searches in corpora."""

    name = "surveys.contexts"

    def ready(self) -> None:
        """Register what the app adds to the site."""
        from surveys.contexts.feature import FEATURE

        register(FEATURE)
