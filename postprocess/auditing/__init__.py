"""The audit of a published dataset: checks of its figures and files.

The package is pure except for `folder`, which finds files, and `kit_audit`, which reads them.
"""

from postprocess.errors import UserError

MOST_RATINGS = 40  # of a context, that are tried


class AuditError(UserError):
    """There is nothing to audit, or an option is impossible; the message says what to do."""
