"""The figures of a dataset, one module each, in the common style of `drawing`.

`draw_…` returns a Matplotlib figure, `caption_…` its caption; both, and the rendered bytes, depend
only on the data.
"""
