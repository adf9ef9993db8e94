"""Scripted annotators and the demo studies."""
