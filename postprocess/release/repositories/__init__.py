"""Metadata for the repositories at which a release is deposited; nothing is sent from here."""
