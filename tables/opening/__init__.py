"""Inspection, opening and closing of a table."""
