"""What operators need: backups, health, outages."""
