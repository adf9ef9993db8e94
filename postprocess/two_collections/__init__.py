"""Comparison of two collections of ratings of the same items: of two crowds, or of a model."""

from typing import Literal

By = Literal["number", "words", "texts"]  # key of the pairs
