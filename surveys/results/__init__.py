"""What is made of the answers: tables, runs, exports, releases."""
