"""Backups of the whole site, and where they are kept."""
