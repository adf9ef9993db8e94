"""The description of a study that researchers write, and what is still missing in it."""
