"""The error of bundles."""


class BundleError(ValueError):
    """A bundle cannot be made or used; the message says why and what to do."""
