"""Reports of a dataset for people: a page, a print of it, figures, and Table 1 for a paper."""
