"""What organisers see of a running shared task, and what they decide about teams."""
