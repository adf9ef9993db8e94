"""Statistics of contexts and of changes."""
