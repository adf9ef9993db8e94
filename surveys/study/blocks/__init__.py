"""Blocks, questionnaires and places of a study."""
