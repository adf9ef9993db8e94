"""Comparison of a study's ratings with another collection of the same items."""
