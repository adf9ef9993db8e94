"""The simulator's HTTP server, its messages and its pages."""
