"""The commands of `python -m preprocess`: each module adds its parser and runs."""
