"""The version of the library, as packages and reports give it."""

__version__ = "0.1.0"
