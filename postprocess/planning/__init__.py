"""How many annotators a study needs."""
