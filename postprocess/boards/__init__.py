"""Boards of a shared task: ranks, tests and reference rows, their exports, and the archive."""
