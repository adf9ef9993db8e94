"""The end of a shared task: final boards, the archive, and publishing."""
