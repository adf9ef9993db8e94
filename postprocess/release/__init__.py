"""Releases: the files that are published of a dataset, made from the collected ratings.

The package is pure: a key decides the annotators' ids, a seed the practice pairs, and dates are
read from the description, so that the same input gives the same bytes.
"""

from postprocess.errors import UserError


class ReleaseError(UserError):
    """A release cannot be made; the message says why and what to do."""
