"""Kits: what the teams of a shared task download in a phase."""
