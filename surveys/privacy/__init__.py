"""Personal data: access, erasure, retention."""
