"""Reports of a dataset for people: a page, its print, figures, and Table 1 for a paper."""
