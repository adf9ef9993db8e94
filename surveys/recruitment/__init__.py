"""How annotators are reached: links, providers, completion codes."""
