"""Prolific's export of submissions."""
