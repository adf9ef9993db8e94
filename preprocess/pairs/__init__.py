"""The pairs of words of a study: reading them, and sampling them from a longer list."""
