"""Errors whose message is meant for the person who runs a command."""


class UserError(ValueError):
    """An input, option or file that cannot be used; the message says what to do."""
