"""Comparison of two collections of ratings of the same items: of two crowds, or of a model."""
