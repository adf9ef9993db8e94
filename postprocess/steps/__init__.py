"""The steps of post-processing, in the order of a recipe."""
