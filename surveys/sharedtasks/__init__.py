"""Shared tasks: teams predict the scores of datasets and are compared on boards."""
