"""From windows to stimuli: scores of models, candidates for the expert, and what was chosen."""
