"""Acts of the office: providers."""
