"""The documents of a release: dataset card, data statement, checklist, citation, metadata."""
