"""Which tables of paid crowds operators see."""

from django.apps import apps

from surveys.crowd.models import Grant, Hit, Payment
from surveys.web.admin.read_only import register_read_only

register_read_only(
    apps.get_app_config("crowd").get_models(),
    personal={Grant, Payment},
    hidden={Grant: ("worker",), Hit: ("token",), Payment: ("token",)},
)
