"""Acts of the office: signs."""
