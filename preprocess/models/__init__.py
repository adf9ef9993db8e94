"""Models that say how similar two words are in a text, in folders on the disk."""
