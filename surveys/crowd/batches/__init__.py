"""Batches: the places to offer for pay and their cost, and the results of their people."""
