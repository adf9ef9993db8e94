"""The commands of `python -m postprocess`: each module adds its parser and runs."""
