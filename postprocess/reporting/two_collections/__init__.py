"""The comparison of two collections as a page, plots and tables."""
