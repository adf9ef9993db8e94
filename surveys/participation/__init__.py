"""What annotators do: arrive, agree, answer, leave."""
