"""How far a study under way has come."""
