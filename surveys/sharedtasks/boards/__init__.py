"""Boards and results as readers of the public pages may see them."""
