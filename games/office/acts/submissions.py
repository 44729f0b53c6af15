"""Acts of the office: submissions."""
