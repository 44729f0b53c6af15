"""Acts of the office: calendar."""
