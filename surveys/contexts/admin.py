"""Which tables of contexts from corpora operators see."""

from django.apps import apps

from surveys.contexts.models import ContextClaim
from surveys.web.admin.read_only import register_read_only

register_read_only(
    apps.get_app_config("contexts").get_models(),
    unlisted={ContextClaim},
)
