"""The audit: what a published dataset says about itself, checked from its files alone.

The package is pure but for `layout`, which lists and reads files: figures in, findings out.
"""
