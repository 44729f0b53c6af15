"""The snapshot of a table, its fragments, and the push to screens."""
