"""Acts of the office: services."""
