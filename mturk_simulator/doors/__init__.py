"""The three interfaces of the simulator: requesters, workers, control."""
