"""Scoring predictions against a dataset, as in SemEval-2020 Task 3: figures, intervals, ranks."""
