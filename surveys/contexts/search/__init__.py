"""The corpora of this site, and searches in them for candidates for contexts."""
