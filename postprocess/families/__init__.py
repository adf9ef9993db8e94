"""Families: the studies of one data set in several languages, side by side."""
