"""Scoring submissions in the background, and which of them counts."""
