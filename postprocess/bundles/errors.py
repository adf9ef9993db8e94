"""The error of bundles."""

from postprocess.errors import UserError


class BundleError(UserError):
    """A bundle cannot be made or used; the message says why and what to do."""
