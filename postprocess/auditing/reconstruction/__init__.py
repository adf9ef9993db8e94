"""Whether whole ratings exist that give the printed means, deviations and p-values."""
