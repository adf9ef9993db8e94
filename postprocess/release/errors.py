"""What a release refuses."""


class ReleaseError(ValueError):
    """A release that cannot be made; the message says what is wrong and what to do."""
