"""Baselines of the shared task: predictions that need no model, or that come from elsewhere."""
