"""What every printed document of the office has in common."""
