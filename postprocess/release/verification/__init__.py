"""Verification of a release: all figures computed again from the data that it publishes."""
