"""Stimuli of a study: reading, checking, editing."""
