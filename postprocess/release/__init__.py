"""The release: everything that is published of a dataset, from what was collected.

The package is pure: a key decides the annotators' ids, a seed the practice pairs, and days come
in with the description, so that the same input gives the same bytes.
"""
