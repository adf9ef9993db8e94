"""Engagement answers: evidence, verdicts and their effects."""
