"""The simulator's state: requesters, workers, their work and their money."""
