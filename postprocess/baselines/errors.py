"""The error of baselines."""


class BaselineError(ValueError):
    """A baseline cannot be computed; the message says why and what to do."""
