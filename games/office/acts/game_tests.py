"""Acts of the office: game tests."""
