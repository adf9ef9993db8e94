"""Statistics of contexts and of changes."""

from typing import Literal

Resample = Literal["items", "items and annotators"]  # of a bootstrap
