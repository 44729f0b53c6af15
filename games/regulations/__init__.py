"""The clauses of the regulations, one for each duty, definition, number or permission."""
