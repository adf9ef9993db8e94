"""A study before and while it is open: its design, texts, stimuli and blocks."""
