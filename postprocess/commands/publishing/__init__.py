"""Commands that make, describe and check releases."""
