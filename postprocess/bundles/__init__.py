"""Bundles that set up a shared task on Codabench, and the scorer in them, a program by itself."""
