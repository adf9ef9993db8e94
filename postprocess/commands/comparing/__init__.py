"""Commands that compare: two recipes for the same ratings, or two collections of the same items."""
