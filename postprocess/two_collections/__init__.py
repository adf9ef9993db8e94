"""Comparison of two collections of ratings on the same items, by two crowds or a model."""

from typing import Literal

By = Literal["number", "words", "texts"]  # key of the pairs
