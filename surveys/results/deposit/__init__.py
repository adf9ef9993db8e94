"""Deposits: a release as a draft in a repository for data. Nothing is published from here."""
