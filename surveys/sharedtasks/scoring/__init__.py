"""Scoring submissions in the background, and choosing the submissions that count."""
