"""Plots of a run, each with the table that it draws: `tabulate_…`, `draw_…` and `caption_…`."""
