"""Amazon Mechanical Turk, behind its own gateway."""
