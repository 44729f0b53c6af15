"""Acts of the office: books."""
