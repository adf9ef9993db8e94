"""Files that are read and written, cell by cell."""
