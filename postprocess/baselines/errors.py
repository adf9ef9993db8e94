"""The error of baselines."""

from postprocess.errors import UserError


class BaselineError(UserError):
    """A baseline cannot be computed; the message says why and what to do."""
