"""What an organiser should know: what a part can tell, what probing gains, what looks odd."""
