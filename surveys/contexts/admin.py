"""Which tables of contexts from corpora operators see."""

from surveys.contexts.models import ContextClaim
from surveys.web.admin.read_only import list_tables, register_read_only

register_read_only(
    list_tables("surveys.contexts.models"),
    unlisted={ContextClaim},
)
