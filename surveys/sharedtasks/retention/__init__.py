"""What a site keeps of shared tasks, how long, and how it deletes that."""
