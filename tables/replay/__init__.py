"""Any round again from the record alone, and readjudication."""
