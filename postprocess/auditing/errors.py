"""What an audit refuses."""


class AuditError(ValueError):
    """There is nothing to audit, or it cannot be done as asked; the message says what to do."""
