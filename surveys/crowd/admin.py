"""Which tables of paid crowds operators see."""

from surveys.crowd.models import Grant, Hit, Payment
from surveys.web.admin.read_only import list_tables, register_read_only

register_read_only(
    list_tables("surveys.crowd.models"),
    personal={Grant, Payment},
    hidden={Grant: ("worker",), Hit: ("token",), Payment: ("token",)},
)
