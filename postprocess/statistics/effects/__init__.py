"""Annotator effects: a cumulative logit mixed model of single ratings, and the changes by it."""
