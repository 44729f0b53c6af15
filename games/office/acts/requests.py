"""Acts of the office: requests."""
