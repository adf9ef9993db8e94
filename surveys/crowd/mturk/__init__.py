"""Amazon Mechanical Turk (MTurk): HITs, workers and payments."""
