"""Acts of the office: guides."""
