"""The doors for people and programs."""
