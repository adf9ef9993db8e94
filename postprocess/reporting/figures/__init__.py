"""Figures of a dataset: one module for each, all drawn in one style by `drawing`.

`draw_…` returns a Matplotlib figure, `caption_…` the text that lets it stand alone; both are
functions of the data only, and so are the bytes that `drawing` renders.
"""
