"""Agreement of annotators, and the reliability of what they agree on."""
