"""Recipes and descriptions as entries of forms; they are stored as TOML."""
