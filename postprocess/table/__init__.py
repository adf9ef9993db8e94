"""The ratings table, and how millions of rows are read and ordered."""
