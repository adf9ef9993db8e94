"""Rows, files and stand-ins for tests, made the way their users make them."""
